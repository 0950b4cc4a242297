import { join } from "node:path"

/** The secret of the one-time codes of a configuration folder. See docs/one-time-codes.md#codes. */
export const secretFile = (configDir: string): string => join(configDir, "otp-secret")
