/** Who was asked for what, for messages. */
export interface Asked {
  readonly alias: string
  readonly model: string
  /** Without credentials. */
  readonly baseUrl: string
  readonly apiKeyEnv: string | undefined
  readonly hasKey: boolean
  /** Takes keys out of a text that came from outside. */
  readonly hide: (text: string) => string
}
