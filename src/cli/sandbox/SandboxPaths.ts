import { homedir } from "node:os"
import { resolve } from "node:path"
import { Effect, Result } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import type { McpServerConfig } from "../../domain/McpServerConfig.ts"
import { filesOf } from "../../mcp/ServerFiles.ts"
import { Environment, type EnvironmentVariables } from "../../platform/Environment.ts"
import { isInside } from "../../platform/FilePath.ts"
import { ownHomes } from "../../sandbox/plan/DiskView.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import { absolutePath } from "../../policy/decision/Boundary.ts"
import { limitsOf, ownFolders } from "../../policy/decision/Limits.ts"
import * as DeniedPaths from "../../policy/rules/DeniedPaths.ts"
import { RuleBooks } from "../../policy/rules/source/RuleBooks.ts"
import type { SandboxRequest } from "../../sandbox/Confinement.ts"
import * as Disk from "../../sandbox/Disk.ts"
import * as Service from "../../sandbox/Sandbox.ts"
import * as CallConfinement from "../../tool/CallConfinement.ts"
import { DryRun, reportNotes } from "../policy/DryRun.ts"
import { print, table, warn } from "../terminal/Output.ts"
import { json, oneLine } from "../terminal/Text.ts"
import { quoted } from "../../platform/QuotedName.ts"

/** What servers find besides what commands do: their own files, wherever they lie. */
const shownToServers = (
  servers: ReadonlyArray<McpServerConfig>,
  { cwd, roots }: Workspace,
  variables: EnvironmentVariables
) =>
  servers.flatMap(({ name, transport }) => {
    if (transport._tag !== "Stdio") return []
    const path = transport.env["PATH"] ?? variables["PATH"]
    const place = { cwd: resolve(cwd, transport.cwd ?? "."), path, homes: ownHomes(), roots }
    return filesOf(transport, place).filter((file) => !roots.some((root) => isInside(root, file))).map((file) => ({
      status: "shown",
      path: file,
      reason: `to the MCP server ${name}, to be read: its declaration names it`
    }))
  })

/**
 * What a command of a new session in this folder finds hidden and protected. A folder that no session may write to, such
 * as the home folder, is looked at as `read-only` does.
 */
export const paths = Effect.fnUntraced(function*(options: { readonly json: boolean }) {
  const dryRun = yield* DryRun
  const workspace = yield* dryRun.workspace()
  const { profile, riskProfile, userRules } = dryRun
  const { rules } = yield* (yield* RuleBooks).load({ workspace, riskProfile, profile, userRules, session: [] })
  const limits = limitsOf(profile, ownFolders(yield* Settings))
  const place = { cwd: workspace.cwd, roots: workspace.roots, home: homedir() }
  const denied = yield* DeniedPaths.of(rules.entries, place)
  if (!denied.complete) yield* warn("there are more files than can be searched for those that deny rules name")
  const allowed = limits.allowedRoots.map((path) => Disk.real(absolutePath(path, place)) ?? "")
  const request: SandboxRequest = {
    mode: "workspace-write",
    network: false,
    cwd: workspace.cwd,
    roots: CallConfinement.foldersOf({ ...workspace, allowed: allowed.filter((path) => path !== "") }),
    readable: workspace.readable,
    env: {},
    ...CallConfinement.placesOf({ limits, workspace }, denied)
  }
  const { paths } = yield* Service.Sandbox
  const writing = yield* Effect.result(paths(request))
  if (Result.isFailure(writing)) {
    yield* warn(`no session can write here, so nothing is protected: ${writing.failure.missing}`)
  }
  const found = Result.isSuccess(writing) ? writing.success : yield* paths({ ...request, mode: "read-only" })
  const rows = [...found, ...shownToServers((yield* LiveSettings).last().mcp.servers, workspace, yield* Environment)]
  yield* reportNotes
  if (options.json) return yield* print(rows.map((row) => `${json(row)}\n`).join(""))
  yield* print(
    table(
      ["STATUS", "PATH", "REASON"],
      rows.map(({ path, reason, status }) => [status, quoted(path), oneLine(reason)])
    )
  )
})
