import type { Attribution, RunnerExit } from "../Confinement.ts"
import type { Plan } from "../plan/Plan.ts"

/**
 * What programs print when a backend refused them something (docs/sandbox.md#what-a-refusal-looks-like). Evidence, not
 * proof: the command can print it too.
 */

export const bubblewrap =
  /Read-only file system|Invalid cross-device link|Device or resource busy|Permission denied|Operation not permitted/
export const landlock = /Permission denied/
export const seatbelt = /Operation not permitted/

const network =
  /Network is unreachable|Temporary failure in name resolution|Could not resolve host|Connection refused|ENETUNREACH|EAI_AGAIN|ECONNREFUSED/

export const read = (
  { code, stderr, stopped }: RunnerExit,
  plan: Pick<Plan, "mode" | "network">,
  files: RegExp
): Attribution => {
  // Above 128 is a signal, and how a program died says nothing about a refusal; 126 is a file that is no program.
  if (code === null || code === 0 || code === 126 || code > 128 || stopped) return { kind: "ordinary" }
  const phrase = files.exec(stderr)?.[0]
  if (plan.mode !== "danger-full-access" && phrase !== undefined) {
    return { kind: "denied", note: `something was probably refused under ${plan.mode} ("${phrase}")` }
  }
  const unreachable = plan.network ? undefined : network.exec(stderr)?.[0]
  return unreachable === undefined
    ? { kind: "ordinary" }
    : { kind: "denied", note: `the call has no network ("${unreachable}")` }
}
