import { homedir } from "node:os"
import { Effect, Result } from "effect"
import { Settings } from "../../config/Settings.ts"
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
  const rows = Result.isSuccess(writing) ? writing.success : yield* paths({ ...request, mode: "read-only" })
  yield* reportNotes
  if (options.json) return yield* print(rows.map((row) => `${json(row)}\n`).join(""))
  yield* print(
    table(
      ["STATUS", "PATH", "REASON"],
      rows.map(({ path, reason, status }) => [status, quoted(path), oneLine(reason)])
    )
  )
})
