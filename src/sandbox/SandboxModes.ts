import type { EffectiveSandbox } from "../domain/PolicySettings.ts"

/** What the Sandbox modes have in common (docs/sandbox.md#modes): who may write, what stays, how much can be seen. */

/** Whether commands can change the workspace, if only for the length of the call. */
export const writes = (mode: EffectiveSandbox): boolean => mode === "workspace-write" || isScratch(mode)

/** Whether changes are forgotten at the end of the call. */
export const isScratch = (mode: EffectiveSandbox): boolean => mode === "scratch" || mode === "workspace-scratch"

/** Whether nothing outside the workspace can be seen, but the system's programs. */
export const isNarrow = (mode: EffectiveSandbox): boolean => mode === "workspace-read" || mode === "workspace-scratch"

/** Git reads run what a repository's own configuration names; where nothing may be written that is switched off. */
const quietGit = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_CONFIG_COUNT: "3",
  GIT_CONFIG_KEY_0: "core.fsmonitor",
  GIT_CONFIG_VALUE_0: "false",
  GIT_CONFIG_KEY_1: "core.hooksPath",
  GIT_CONFIG_VALUE_1: "/dev/null",
  GIT_CONFIG_KEY_2: "core.pager",
  GIT_CONFIG_VALUE_2: "cat"
}

/** Variables that go with a mode, on top of the command's own. */
export const variables = (mode: EffectiveSandbox): Readonly<Record<string, string>> =>
  mode === "read-only" || mode === "workspace-read" ? quietGit : {}
