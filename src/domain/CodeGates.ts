/** What takes a one-time code, by name. See docs/one-time-codes.md#what-asks-for-a-code. */

export const domainCategories = ["banking", "medical", "government", "identity_providers"] as const

export type DomainCategory = typeof domainCategories[number]

/** Names of actions that stand for other tools than the one of that name, or for none of this version. */
export const actionTools: Readonly<Record<string, ReadonlyArray<string>>> = {
  file_write: ["file_write", "file_edit"],
  browser: [],
  browser_open: []
}

export const usualActions: ReadonlyArray<string> = ["shell", "file_write", "browser_open", "browser", "memory_forget"]

/** What is set under `[security.otp]`. */
export interface CodeGates {
  readonly enabled: boolean
  readonly actions: ReadonlyArray<string>
  /** As `normalDomain` writes them. */
  readonly domains: ReadonlyArray<string>
  readonly categories: ReadonlyArray<DomainCategory>
}
