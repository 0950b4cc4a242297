/**
 * What a call may do to the world, from nothing to everything (docs/policy.md#capabilities). A tool without one cannot
 * be registered.
 */
export const capabilities = ["none", "ro", "rw", "rw_plan", "shell_ro", "shell_test", "shell_rw"] as const
export type Capability = typeof capabilities[number]

/** `optional`: works without, and is refused only when what it starts cannot (a shell). */
export type NetworkNeed = "none" | "optional" | "required"
