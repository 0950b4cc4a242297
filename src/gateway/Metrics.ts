import type { Figures, Histogram, Tally } from "../session/Activity.ts"

/** The figures of `GET /metrics`, as Prometheus reads them: https://prometheus.io/docs/instrumenting/exposition_formats/ */

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

interface Shown {
  readonly activity: Figures
  /** Of requests over HTTP, until their answer; event streams and WebSockets are not counted. */
  readonly requestSeconds: Histogram
  readonly sessions: number
  readonly turns: number
  /** By protocol. */
  readonly connections: Readonly<Record<string, number>>
  /** What waits, by queue. */
  readonly queues: Readonly<Record<string, number>>
}

type Sample = readonly [labels: string, value: number]

const family = (name: string, type: "counter" | "gauge", help: string, samples: ReadonlyArray<Sample>) =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${
    samples.map(([labels, value]) => `${name}${labels} ${value}\n`).join("")
  }`

const gauge = (name: string, help: string, value: number) => family(name, "gauge", help, [["", value]])

const labelled = (name: string, values: Iterable<readonly [string, number]>): ReadonlyArray<Sample> =>
  Array.from(values, ([value, count]) => [`{${name}="${value}"}`, count] as const)

const counter = (name: string, help: string, label: string, { counts }: Tally) =>
  family(name, "counter", help, labelled(label, counts))

const histogram = (name: string, help: string, { buckets, count, sum }: Histogram) =>
  `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${
    buckets.map(({ bound, count }) => `${name}_bucket{le="${bound}"} ${count}\n`).join("")
  }${name}_bucket{le="+Inf"} ${count}\n${name}_sum ${sum}\n${name}_count ${count}\n`

export const format = ({ activity, connections, queues, requestSeconds, sessions, turns }: Shown): string =>
  [
    gauge("postern_sessions", "Live sessions.", sessions),
    family("postern_sessions_opened_total", "counter", "Sessions opened or loaded.", [
      ["", activity.sessions.counts.get("opened") ?? 0]
    ]),
    gauge("postern_turns_running", "Turns that run now.", turns),
    counter("postern_turns_total", "Turns that ended.", "outcome", activity.turns),
    histogram("postern_turn_duration_seconds", "From the beginning of a turn to its end.", activity.turnSeconds),
    counter("postern_tokens_total", "Tokens as providers counted them.", "type", activity.tokens),
    counter("postern_tool_calls_total", "Tool calls that ended.", "outcome", activity.toolCalls),
    histogram(
      "postern_tool_call_duration_seconds",
      "Of a tool call, questions to its user included.",
      activity.toolCallSeconds
    ),
    family(
      "postern_connections",
      "gauge",
      "Clients of the gateway.",
      labelled("protocol", Object.entries(connections))
    ),
    family("postern_queue_depth", "gauge", "What waits.", labelled("queue", Object.entries(queues))),
    histogram("postern_http_request_duration_seconds", "Of requests over HTTP, until the answer.", requestSeconds),
    gauge("process_resident_memory_bytes", "Resident memory.", process.memoryUsage.rss()),
    gauge("process_start_time_seconds", "When the process began.", Date.now() / 1000 - process.uptime())
  ].join("")
