import { median } from "./Statistics.ts"
import type { Name } from "./Subjects.ts"

/** What is measured and what it should be (docs/development.md#figures). */

export interface Figure {
  readonly title: string
  readonly unit: "ms" | "MiB" | "KiB" | "/s"
  /** A bound of its own, or one in multiples of the floor agent. */
  readonly target: { readonly value: number } | { readonly timesFloor: number }
  readonly more?: true
}

export const figures = {
  initialize: { title: "spawn → initialize answered", unit: "ms", target: { timesFloor: 1.3 } },
  newSession: { title: "spawn → first session/new answered, database open", unit: "ms", target: { timesFloor: 1.6 } },
  echo: { title: "echo turn, warm", unit: "ms", target: { value: 3 } },
  read: { title: "turn with one file read, warm", unit: "ms", target: { value: 8 } },
  stream: { title: "20,000 text deltas", unit: "/s", target: { value: 80_000 }, more: true },
  streamCpu: { title: "CPU for 20,000 text deltas", unit: "ms", target: { value: 300 } },
  modelEcho: { title: "echo turn with a model over HTTP, warm", unit: "ms", target: { value: 3 } },
  modelRead: { title: "turn with one file read, model over HTTP, warm", unit: "ms", target: { value: 8 } },
  modelFirst: { title: "first turn of a process, model over HTTP", unit: "ms", target: { value: 40 } },
  modelEchoCpu: { title: "CPU of an echo turn with a model over HTTP, warm", unit: "ms", target: { value: 3 } },
  modelStream: { title: "20,000 text deltas of a model over HTTP", unit: "/s", target: { value: 80_000 }, more: true },
  modelStreamCpu: { title: "CPU for 20,000 text deltas over HTTP", unit: "ms", target: { value: 300 } },
  delay: { title: "added delay of one delta, one per 10 ms, p50", unit: "ms", target: { value: 1 } },
  delayTail: { title: "added delay of one delta, one per 10 ms, p95", unit: "ms", target: { value: 1.5 } },
  memory: { title: "resident memory, one idle session", unit: "MiB", target: { value: 80 } },
  memoryMany: { title: "resident memory, fifty idle sessions", unit: "MiB", target: { value: 85 } },
  perSession: { title: "each further idle session, from 1,000 on", unit: "KiB", target: { value: 20 } },
  exit: { title: "exit after end of input, idle", unit: "ms", target: { value: 50 } },
  sandbox: { title: "spawn cost of the sandbox, bubblewrap", unit: "ms", target: { value: 12 } },
  sandboxLarge: {
    title: "spawn cost of the sandbox, bubblewrap, 50,000 files and 20 repositories",
    unit: "ms",
    target: { value: 12 }
  },
  landlock: { title: "spawn cost of the sandbox, Landlock", unit: "ms", target: { value: 1 } },
  policy: { title: "policy decision for a shell command", unit: "ms", target: { value: 0.1 } }
} as const satisfies Record<string, Figure>

export type Key = keyof typeof figures

export interface Summary {
  readonly median: number
  readonly best: number
  readonly samples: number
}

/** All values of one figure, by agent. */
export class Samples {
  private readonly values = new Map<string, Array<number>>()

  add(key: Key, name: Name, ...values: ReadonlyArray<number>): void {
    const id = `${key} ${name}`
    this.values.set(id, [...this.values.get(id) ?? [], ...values])
  }

  summary(key: Key, name: Name): Summary | undefined {
    const values = this.values.get(`${key} ${name}`)
    const figure: Figure = figures[key]
    if (!values) return undefined
    const best = figure.more ? Math.max(...values) : Math.min(...values)
    return { median: median(values), best, samples: values.length }
  }
}

export interface Row extends Figure {
  readonly key: Key
  readonly postern?: Summary
  readonly floor?: Summary
  readonly lean?: Summary
  /** Medians, Postern to floor. */
  readonly ratio?: number
  readonly verdict: "ok" | "over" | "not measured"
}

const meets = ({ more, target }: Figure, value: number, ratio: number): boolean => {
  const [reached, bound] = "value" in target ? [value, target.value] : [ratio, target.timesFloor]
  return more ? reached >= bound : reached <= bound
}

export const rows = (samples: Samples): ReadonlyArray<Row> =>
  (Object.keys(figures) as Array<Key>).map((key): Row => {
    const figure: Figure = figures[key]
    const postern = samples.summary(key, "postern")
    const floor = samples.summary(key, "floor")
    const lean = samples.summary(key, "lean")
    const isMeasured = postern !== undefined && (floor !== undefined || "value" in figure.target)
    if (!isMeasured) return { key, ...figure, verdict: "not measured" }
    const ratio = floor === undefined ? undefined : postern.median / floor.median
    const verdict = meets(figure, postern.median, ratio ?? NaN) ? "ok" : "over"
    return {
      key,
      ...figure,
      postern,
      ...(floor && { floor }),
      ...(lean && { lean }),
      ...(ratio !== undefined && { ratio }),
      verdict
    }
  })
