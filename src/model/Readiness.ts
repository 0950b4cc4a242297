import { Result } from "effect"
import { isReady, resolve } from "./Reference.ts"
import type { ConfigTable } from "../config/schema/Schema.ts"
import type { EnvironmentVariables } from "../config/load/EnvironmentOverrides.ts"
import { defaultModel, type Provider, providers } from "../config/Providers.ts"

export interface Readiness {
  /** No enabled agent has a model that can be asked, the offline one aside. */
  readonly needsQuickstart: boolean
  /** A sentence or two for people. */
  readonly reason: string
  /** Something was begun that is not enough yet. */
  readonly hasPartialState: boolean
  /** Sections that have to be filled in. */
  readonly missing: ReadonlyArray<"agents" | "providers">
}

const isReal = (provider: Provider) => provider.kind !== "offline" && isReady(provider)

/** The models of enabled agents by alias. */
export const models = (table: ConfigTable, known: ReadonlyMap<string, Provider>): ReadonlyMap<string, string> => {
  const agents = Object.entries(table.agents ?? {})
  const all: typeof agents = agents.length === 0 ? [["default", {}]] : agents
  return new Map(
    all.flatMap(([alias, { enabled, model }]) => enabled === false ? [] : [[alias, model ?? defaultModel(known)]])
  )
}

const works = "everything works with the offline model, which follows scripts and thinks nothing up"

/** Whether there is a real model to work with, and what is missing if not (zeroclaw.md §1.6, `config/status`). */
export const readiness = (table: ConfigTable, environment: EnvironmentVariables): Readiness => {
  const known = providers(table.providers, environment)
  const used = Array.from(models(table, known), ([alias, model]) => ({ alias, model, found: resolve(known, model) }))
  const real = used.find(({ found }) => Result.isSuccess(found) && isReal(found.success.provider))
  if (real !== undefined) {
    const reason = `agent ${JSON.stringify(real.alias)} uses ${real.model}`
    return { needsQuickstart: false, reason, hasPartialState: false, missing: [] }
  }
  const hasPartialState = Object.keys({ ...table.providers, ...table.agents }).length > 0
  const not = { needsQuickstart: true, hasPartialState }
  const broken = used.flatMap(({ alias, found }) =>
    Result.isFailure(found) ? [`agent ${JSON.stringify(alias)}: ${found.failure.message}`] : []
  )
  const ready = Array.from(known.values()).filter(isReal).map(({ alias }) => alias)
  if (ready.length > 0) {
    const reason = `no enabled agent uses a model of ${ready.join(" or ")}; without one, ${works}`
    return { ...not, reason: [...broken, reason].join("; "), missing: ["agents"] }
  }
  const reason =
    `no real model is configured: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or a provider and an agent's model; until then, ${works}`
  return { ...not, reason: [...broken, reason].join("; "), missing: ["providers"] }
}
