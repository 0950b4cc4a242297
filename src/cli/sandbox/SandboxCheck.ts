import { Effect } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { layerSandbox } from "../../app/SandboxLayer.ts"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { backendChoiceOf } from "../../policy/decision/Limits.ts"
import * as Service from "../../sandbox/Sandbox.ts"
import { json, oneLine } from "../terminal/Text.ts"
import { print, table, textStyles } from "../terminal/Output.ts"

/** What this machine can enforce. A mode that it cannot enforce is a result, not an error. */
export const check = Effect.fnUntraced(
  function*(options: { readonly backend: string | undefined; readonly json: boolean }) {
    const { riskProfiles } = (yield* LiveSettings).last()
    const wish = backendChoiceOf(riskProfiles.get("default"))
    const rows = yield* Service.Sandbox.useSync(({ check }) => check({ ...wish, name: options.backend ?? wish.name }))
      .pipe(
        Effect.provide(layerSandbox)
      )
    if (options.json) return yield* print(rows.map((row) => `${json(row)}\n`).join(""))
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const styles = textStyles(canColor)
    const cells = rows.map((
      { mode, network, note, usable }
    ) => [mode, network ? "on" : "off", usable ? styles.green("yes") : styles.red("no"), oneLine(note)])
    yield* print(table(["SANDBOX MODE", "NETWORK", "USABLE", "WHAT IS ENFORCED, OR MISSING"], cells))
    for (const remedy of new Set(rows.flatMap(({ remedy }) => remedy ?? []))) yield* print(`\n${oneLine(remedy)}\n`)
  }
)
