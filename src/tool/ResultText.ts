import { Effect } from "effect"
import { type LeakDetection, load } from "../domain/secrets/LeakDetector.ts"
import * as Untrusted from "../security/Untrusted.ts"
import type { AnyTool } from "./Tool.ts"

const note = "[Secrets in this text were replaced by tags. Leave those places alone: a tag is not what is there.]"

/** The result of a call as the model gets it; people see it as it is. `title` says what the text came from. */
export const make = (detection: () => LeakDetection) =>
  Effect.fnUntraced(function*({ origin }: AnyTool, title: string, text: string) {
    if (origin === undefined) return text
    const redact = yield* load
    const safe = redact(text, detection())
    const marked = Untrusted.mark(origin, title, safe.text)
    return safe.found === 0 ? marked : `${marked}\n${note}`
  })
