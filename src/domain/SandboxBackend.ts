/** Which backend the configuration names, and what those need that only run when they are named. */
export interface BackendChoice {
  /** `auto` for the best there is. */
  readonly name: string
  readonly dockerImage?: string | undefined
  readonly firejailArgs?: ReadonlyArray<string> | undefined
}

/** The backend that confines nothing, whatever the mode: only for where the operator and the session both ask for it. */
export const unconfined = "unconfined"
