import { Context, Effect, Layer, Schema } from "effect"
import { isWritable } from "../config/schema/KeyPath.ts"
import type { ConfigTable } from "../config/schema/Schema.ts"
import { LiveSettings } from "../config/LiveSettings.ts"
import type { Snapshot } from "../config/Snapshot.ts"
import { canonicalFolder } from "../policy/decision/Limits.ts"
import { ForeignFolders, type Permitted, ToolGrants } from "../policy/decision/ToolGrants.ts"
import { PairedTokens, principalOf as principalOfToken } from "./PairedTokens.ts"

/**
 * What one client may do (docs/users.md#grants); it is looked up with every call, so that taking a permission away
 * works at once.
 */
export interface Principal {
  readonly id: string
  readonly admin: boolean
  /** `need` is a `resource:verb`. */
  readonly allows: (need: string) => boolean
  readonly mayUseAgent: (alias: string) => boolean
  /** Whether a path of `config.toml` may be written. */
  readonly mayConfigure: (path: string) => boolean
  /** The tools its sessions may use; `undefined` is all of them. */
  readonly tools: Permitted | undefined
}

/** The client is no configured user, or its user was removed from the configuration. */
export class NotAuthenticated
  extends Schema.TaggedError<NotAuthenticated>()("NotAuthenticated", { message: Schema.String })
{}

export interface Credentials {
  /** Of the user at the other end, where the system says so. */
  readonly uid: number | undefined
  /** Only this is looked at when it is there. */
  readonly token?: string | undefined
  readonly provider?: string | undefined
}

const operator: Principal = {
  id: "operator",
  admin: true,
  allows: () => true,
  mayUseAgent: () => true,
  mayConfigure: () => true,
  tools: undefined
}

/** Who connects to a gateway that asks for no token. */
export const anonymous = "token:anonymous"

const basicGrants: ReadonlySet<string> = new Set([
  ...["create", "read", "update", "delete", "execute"].map((verb) => `sessions:${verb}`),
  "system:read",
  "agents:read",
  "files:create",
  "models:read"
])

/** A client of the gateway that is no user of the configuration: its own sessions, with every enabled agent. */
const guest = (id: string): Principal => ({
  id,
  admin: false,
  allows: (need) => basicGrants.has(need),
  mayUseAgent: () => true,
  mayConfigure: () => false,
  tools: undefined
})

/** Whether an id is that of a client that is let in without a user. */
type IsGuest = (id: string) => boolean

type Users = NonNullable<ConfigTable["users"]>
type Profiles = NonNullable<ConfigTable["permission_profiles"]>

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => JSON.stringify(name)).join(" or ")

/** As `resource:verb`. */
const granted = (grants: NonNullable<Profiles[string]["grants"]>): ReadonlyArray<string> =>
  Object.entries(grants).flatMap(([resource, verbs]) => verbs.map((verb) => `${resource}:${verb}`.toLowerCase()))

const runs = ({ admin, grants = {} }: Profiles[string]): boolean =>
  admin === true ||
  granted(grants).includes("sessions:execute")

/**
 * Each profile gives its `allowed_tools`. One without that list gives all of them, if it lets sessions run at all: a
 * profile about something else lifts no limit.
 */
const toolsOf = (id: string, profiles: ReadonlyMap<string, Profiles[string]>): Permitted | undefined => {
  const all = Array.from(profiles.values())
  const lists = all.flatMap((profile) => profile.allowed_tools ?? (runs(profile) ? ["*"] : []))
  const names = new Set(lists.map((name) => name.trim()))
  if (names.has("*")) return undefined
  const who = profiles.size === 0
    ? `principal ${JSON.stringify(id)} has no permission profile`
    : `no permission profile of principal ${JSON.stringify(id)} (${quoted([...profiles.keys()])}) has it`
  return { has: (name) => names.has(name), refusal: (name) => `${name} is not in allowed_tools: ${who}` }
}

const nobodys = (id: string): Permitted => ({
  has: () => false,
  refusal: (name) => `${name} is not allowed: principal ${JSON.stringify(id)} is not known any more`
})

const withoutAgent = (id: string, agent: string): Permitted => ({
  has: () => false,
  refusal: (name) =>
    `${name} is not allowed: principal ${JSON.stringify(id)} may not use agent ${JSON.stringify(agent)} any more`
})

const toolsWith = (owner: string, agent: string, principal: Principal | undefined): Permitted | undefined => {
  if (principal === undefined) return nobodys(owner)
  return principal.mayUseAgent(agent) ? principal.tools : withoutAgent(owner, agent)
}

/** The grants of all profiles are united; a user without a profile has none. */
const united = (id: string, named: ReadonlyMap<string, Profiles[string]>): Principal => {
  const profiles = Array.from(named.values())
  const grants = new Set(profiles.flatMap(({ grants = {} }) => granted(grants)))
  const agents = profiles.flatMap(({ allowed_agents = [] }) => allowed_agents)
  const paths = profiles.flatMap(({ config_write_paths = [] }) => config_write_paths)
  const admin = profiles.some((profile) => profile.admin === true)
  return {
    id,
    admin,
    allows: (need) => admin || grants.has(need),
    mayUseAgent: (alias) => admin || agents.includes(alias) || agents.includes("*"),
    mayConfigure: (path) => admin || isWritable(paths)(path),
    tools: admin ? undefined : toolsOf(id, named)
  }
}

/** The users as they stand now. */
interface Roster {
  readonly users: Users
  readonly profiles: Profiles
  /** A client that runs as the daemon's own user is the operator. */
  readonly trustDaemonUid: boolean
}

const rosterOf = ({ permission_profiles = {}, security, users = {} }: ConfigTable): Roster => ({
  users,
  profiles: permission_profiles,
  trustDaemonUid: security?.trust_daemon_uid !== false
})

/**
 * Whether anybody may be the operator; a user whom the system does not tell has to be trusted where there are no
 * others.
 */
const hasOperator = ({ trustDaemonUid, users }: Roster, own: number | undefined): boolean =>
  own === undefined ? Object.keys(users).length === 0 : trustDaemonUid

export const make = <E>(
  roster: Effect.Effect<Roster, E>,
  own: number | undefined,
  isGuest: IsGuest = () => false
) => ({
  authenticate: Effect.fnUntraced(function*({ provider, token, uid }: Credentials) {
    const { trustDaemonUid, users } = yield* roster
    if (token !== undefined || (provider !== undefined && provider !== "peercred")) {
      return yield* new NotAuthenticated({ message: `the credential for ${provider ?? "native"} is not valid` })
    }
    if (uid === undefined && Object.keys(users).length === 0) return operator.id
    if (uid !== undefined && uid === own && trustDaemonUid) return operator.id
    const user = Object.entries(users).find(([, user]) => user.uid !== undefined && user.uid === uid)
    return user
      ? user[1].principal_id ?? user[0]
      : yield* new NotAuthenticated({
        message: uid === undefined
          ? "this user is not known to the daemon"
          : `this user is not known to the daemon; a table [users.NAME] with uid = ${uid} would let it in`
      })
  }),
  find: (id: string) => Effect.map(roster, (now) => principalOf(id, now, own, isGuest))
})

const principalOf = (id: string, now: Roster, own: number | undefined, isGuest: IsGuest): Principal | undefined => {
  if (id === operator.id) return hasOperator(now, own) ? operator : undefined
  if (isGuest(id)) return guest(id)
  const { profiles, users } = now
  const user = Object.entries(users).find(([name, { principal_id }]) => (principal_id ?? name) === id)
  const aliases = user?.[1].permission_profiles ?? []
  return user &&
    united(id, new Map(aliases.flatMap((alias) => profiles[alias] === undefined ? [] : [[alias, profiles[alias]]])))
}

const isGuestOf = (last: () => Snapshot, tokens: PairedTokens["Service"]): IsGuest => (id) =>
  id === anonymous
    ? last().gateway.enabled && !last().gateway.requirePairing
    : id.startsWith("token:") && tokens.recent().some((one) => one.user === undefined && principalOfToken(one) === id)

/** The workspaces of agents, as they are named and with links followed. */
export const workspacesOf = (
  agents: Snapshot["agents"],
  isMeant: (alias: string) => boolean
): ReadonlyArray<string> =>
  Array.from(agents.values()).filter(({ alias }) => isMeant(alias)).flatMap(({ workspace }) => [
    ...new Set([workspace, canonicalFolder(workspace)])
  ])

export class Principals extends Context.Service<Principals, {
  /** The id of the principal behind a connection. */
  readonly authenticate: (credentials: Credentials) => Effect.Effect<string, NotAuthenticated>
  /** As the configuration stands now; `undefined` once it is gone. */
  readonly find: (id: string) => Effect.Effect<Principal | undefined>
}>()("postern/security/Principals") {
  static readonly layer = Layer.effect(
    Principals,
    Effect.zipWith(
      LiveSettings,
      PairedTokens,
      ({ current, last }, tokens) =>
        make(Effect.map(current, ({ table }) => rosterOf(table)), process.geteuid?.(), isGuestOf(last, tokens))
    )
  )

  /** Sessions without an owner are the operator's. */
  static readonly layerGrants: Layer.Layer<never, never, Principals | LiveSettings | PairedTokens> = Layer.merge(
    Layer.effect(
      ToolGrants,
      Effect.map(
        Principals,
        ({ find }) => (owner: string | null, agent: string) =>
          owner === null ? Effect.undefined : Effect.map(find(owner), (principal) => toolsWith(owner, agent, principal))
      )
    ),
    Layer.effect(
      ForeignFolders,
      Effect.zipWith(LiveSettings, PairedTokens, ({ last }, tokens) => (owner: string | null) => {
        const { agents, table } = last()
        const principal = owner === null
          ? operator
          : principalOf(owner, rosterOf(table), process.geteuid?.(), isGuestOf(last, tokens))
        return principal?.admin === true ? [] : workspacesOf(agents, (alias) => principal?.mayUseAgent(alias) !== true)
      })
    )
  )
}
