import { Context, Effect, Layer, Schema } from "effect"
import { Settings } from "../app/Settings.ts"

/** What one client may do (zeroclaw §1.10); it is asked for anew with every call, so that taking a permission away works at once. */
export interface Principal {
  readonly id: string
  readonly admin: boolean
  /** `need` is a `resource:verb`. */
  readonly allows: (need: string) => boolean
  readonly mayUseAgent: (alias: string) => boolean
  /** Whether a path of `config.toml` may be written. */
  readonly mayConfigure: (path: string) => boolean
  /** Only these tools, where there is a list. */
  readonly tools: ReadonlySet<string> | undefined
}

/** Nobody the daemon knows, or somebody it knows no longer. */
export class NotAuthenticated extends Schema.TaggedError<NotAuthenticated>()("NotAuthenticated", { message: Schema.String }) {}

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

type Profile = Settings["Service"]["permissionProfiles"][string]

const matches = (path: string, pattern: string) =>
  pattern === "*" || pattern === path || (pattern.endsWith(".*") && path.startsWith(pattern.slice(0, -1)))

/** Profiles add up; whoever has none may nothing. */
const united = (id: string, profiles: ReadonlyArray<Profile>): Principal => {
  const grants = new Set(profiles.flatMap(({ grants = {} }) =>
    Object.entries(grants).flatMap(([resource, verbs]) => verbs.map((verb) => `${resource}:${verb}`.toLowerCase()))))
  const agents = profiles.flatMap(({ allowed_agents = [] }) => allowed_agents)
  const paths = profiles.flatMap(({ config_write_paths = [] }) => config_write_paths)
  const limited = profiles.filter(({ allowed_tools }) => allowed_tools !== undefined)
  const admin = profiles.some((profile) => profile.admin === true)
  return {
    id,
    admin,
    allows: (need) => admin || grants.has(need),
    mayUseAgent: (alias) => admin || agents.includes(alias) || agents.includes("*"),
    mayConfigure: (path) => admin || paths.some((pattern) => matches(path, pattern)),
    tools: admin || limited.length < profiles.length ? undefined : new Set(limited.flatMap(({ allowed_tools = [] }) => allowed_tools))
  }
}

type Roster = Pick<Settings["Service"], "permissionProfiles" | "trustDaemonUid" | "users">

/** `roster` gives the users as they stand now. */
export const make = (roster: () => Roster, own: number | undefined): Principals["Service"] => {
  const named = (id: string) => Object.entries(roster().users).find(([name, { principal_id }]) => (principal_id ?? name) === id)
  return {
    authenticate: ({ provider, token, uid }) =>
      Effect.suspend(() => {
        const { trustDaemonUid, users } = roster()
        if (token !== undefined || (provider !== undefined && provider !== "peercred")) {
          return new NotAuthenticated({ message: `the credential for ${provider ?? "native"} is not valid` })
        }
        if (uid === undefined && Object.keys(users).length === 0) return Effect.succeed(operator.id)
        if (uid !== undefined && uid === own && trustDaemonUid) return Effect.succeed(operator.id)
        const user = Object.entries(users).find(([, user]) => user.uid !== undefined && user.uid === uid)
        return user ? Effect.succeed(user[1].principal_id ?? user[0]) : new NotAuthenticated({ message: "this user is not known to the daemon" })
      }),
    find: (id) => {
      if (id === operator.id) return operator
      const { permissionProfiles } = roster()
      const user = named(id)
      return user && united(id, (user[1].permission_profiles ?? []).flatMap((alias) => permissionProfiles[alias] ?? []))
    }
  }
}

export class Principals extends Context.Service<Principals, {
  /** The id of the principal behind a connection. */
  readonly authenticate: (credentials: Credentials) => Effect.Effect<string, NotAuthenticated>
  /** As the configuration stands now; `undefined` once it is gone. */
  readonly find: (id: string) => Principal | undefined
}>()("postern/security/Principals") {
  static readonly layer = Layer.effect(Principals, Effect.map(Settings, (settings) => make(() => settings, process.geteuid?.())))
}
