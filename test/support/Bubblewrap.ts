import { spawnSync } from "node:child_process"

const probe = ["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "--", "/bin/true"]

export const hasBubblewrap = process.platform === "linux" && spawnSync("bwrap", probe, { stdio: "ignore" }).status === 0

/** For the name of a test that needs it. */
export const reason = hasBubblewrap ? "" : " (skipped: bubblewrap is not installed or may not make namespaces here)"

/** Lets commands run where nothing can confine them, so that everything else is tested there too. */
export const unconfined: Readonly<Record<string, string>> = hasBubblewrap
  ? {}
  : { POSTERN_policy__sandbox: "danger-full-access", POSTERN_risk_profiles__default__sandbox_backend: "none" }
