import { Effect, SchemaAST } from "effect"
import { isMap, kindOf, maps } from "../../config/schema/Fields.ts"
import { entries, sections } from "../../config/schema/Guide.ts"
import { ConfigTable } from "../../config/schema/Schema.ts"
import type { EnvironmentVariables } from "../../platform/Environment.ts"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { builtIn, isLocal, type Provider, providers, vendorModels } from "../../config/Providers.ts"
import { agentModels, readiness } from "../../model/ModelReference.ts"
import { ModelCatalog } from "../../model/ModelCatalog.ts"
import * as Errors from "../protocol/Errors.ts"
import { SetupMethods } from "../protocol/ConfigContracts.ts"

/** Kinds of providers, as `providers.*.kind` names them. */
const kinds = [
  { name: "anthropic", display_name: "Anthropic, and servers that speak its Messages API", local: false },
  { name: "openai-compatible", display_name: "OpenAI, and servers that speak its chat completions", local: false },
  { name: "offline", display_name: "Offline: follows scripts and asks nobody", local: true }
]

/** The tables of the configuration that the quick start covers. */
const quickstart: ReadonlyArray<string> = ["providers", "agents"]

/** Keys of other daemons without a counterpart in Postern; their lists are always empty. */
const without: ReadonlyArray<string> = [
  "tts_providers",
  "transcription_providers",
  "channels",
  "skill_bundles",
  "knowledge_bundles",
  "mcp_bundles"
]

const unique = <A>(values: Iterable<A>): ReadonlyArray<A> => Array.from(new Set(values))

/** The keys of a table and those that exist without being there. */
const aliases = (table: ConfigTable): Readonly<Record<string, ReadonlyArray<string>>> => ({
  model_providers: unique([...Object.keys(table.providers ?? {}), ...Object.keys(builtIn)]),
  risk_profiles: unique([...Object.keys(table.risk_profiles ?? {}), "default"]),
  runtime_profiles: unique([...Object.keys(table.runtime_profiles ?? {}), "default"]),
  agents: table.agents === undefined || Object.keys(table.agents).length === 0
    ? ["default"]
    : Object.keys(table.agents),
  permission_profiles: Object.keys(table.permission_profiles ?? {})
})

const sectionOf = (table: ConfigTable, missing: ReadonlyArray<string>) => (field: SchemaAST.PropertySignature) => {
  const key = String(field.name)
  const { group, help, label } = sections[key] ?? { label: key, help: "", group: "Daemon" }
  return {
    key,
    label,
    help,
    has_picker: key === "providers",
    completed: Object.hasOwn(table, key),
    ready: !missing.includes(key),
    group,
    group_key: group.toLowerCase(),
    is_quickstart: quickstart.includes(key),
    shape: isMap(field.type) ? "one_tier_alias_map" as const : "direct_form" as const,
    cost_category: false
  }
}

/** `environment` has the keys of providers. */
export const layer = (environment: EnvironmentVariables) =>
  SetupMethods.toLayer(Effect.gen(function*() {
    const { current } = yield* LiveSettings
    const catalog = yield* ModelCatalog
    const table = Effect.map(current, ({ table }) => table)

    /**
     * Ids of models of one provider: those the configuration names, the usual one of a vendor, and what the server
     * listed.
     */
    const idsOf = ({ alias, baseUrl, models: own }: Provider, named: ReadonlyArray<string>) => {
      const usual = Object.hasOwn(vendorModels, alias) ? vendorModels[alias] : undefined
      return unique([
        ...named.filter((one) => one.startsWith(`${alias}/`)).map((one) => one.slice(alias.length + 1)),
        ...own,
        ...(usual === undefined || baseUrl !== undefined ? [] : [usual]),
        ...(catalog.listed(alias) ?? [])
      ])
    }

    return SetupMethods.of({
      "config/sections": () =>
        Effect.map(table, (now) => ({
          sections: SchemaAST.isObjects(ConfigTable.ast)
            ? ConfigTable.ast.propertySignatures.map(sectionOf(now, readiness(now, environment).missing))
            : []
        })),

      "config/status": () =>
        Effect.map(table, (now) => {
          const { hasPartialState, missing, needsQuickstart, reason } = readiness(now, environment)
          return { needs_quickstart: needsQuickstart, reason, has_partial_state: hasPartialState, missing }
        }),

      "config/catalog": () => Effect.succeed({ model_providers: kinds }),

      "config/catalog-models": Effect.fnUntraced(function*({ model_provider, provider }) {
        const name = model_provider ?? provider
        if (name === undefined || name === null) {
          return yield* Errors.invalid("model_provider is missing", "model_provider")
        }
        const now = yield* table
        const known = providers(now.providers, environment)
        const alias = known.get(name)
        const meant = alias === undefined ? Array.from(known.values()).filter(({ kind }) => kind === name) : [alias]
        if (meant.length === 0) {
          const names = unique([...known.keys(), ...kinds.map(({ name }) => name)]).join(", ")
          const problem = `there is no model provider ${JSON.stringify(name)}; there are ${names}`
          return yield* Errors.invalid(problem, "model_provider", "not_found")
        }
        // The providers are asked in the background; a later response contains the models that they list.
        if (meant.some(({ kind }) => kind !== "offline")) yield* catalog.refresh
        const named = [
          ...agentModels(now, known).values(),
          ...Array.from(known.values()).flatMap(({ fallback }) => fallback)
        ]
        const found = meant.map((one) => ({ ids: idsOf(one, named), prices: one.prices }))
        const pricing = Object.fromEntries(
          found.flatMap(({ ids, prices }) => prices === undefined ? [] : ids.map((id) => [id, prices]))
        )
        return {
          model_provider: name,
          models: unique(found.flatMap(({ ids }) => ids)),
          ...(Object.keys(pricing).length === 0 ? {} : { pricing }),
          local: meant.every(isLocal),
          live: meant.some((one) => catalog.listed(one.alias) !== undefined)
        }
      }),

      "config/resolve-alias-source": Effect.fnUntraced(function*({ source }) {
        const known = new Map(Object.entries(aliases(yield* table)))
        const values = known.get(source) ?? (without.includes(source) ? [] : undefined)
        return values === undefined
          ? yield* Errors.invalid(
            `there is no alias source ${JSON.stringify(source)}; there are ${[...known.keys(), ...without].join(", ")}`,
            "source"
          )
          : { source, values }
      }),

      "config/templates": () =>
        Effect.succeed({
          templates: maps().map(({ ast, path }) => ({
            path,
            kind: "Map" as const,
            value_type: SchemaAST.isUnknown(ast) ? "any" : kindOf(ast, undefined),
            description: entries[path] ?? ""
          }))
        })
    })
  }))
