import { describe, expect, it } from "vitest"
import { lines, Run } from "./support/Run.ts"

const check = (...args: ReadonlyArray<string>) => new Run(["sandbox", "check", ...args], { stdin: "" }).done

describe("postern sandbox check", () => {
  it("reports every mode, with and without a network; the unconfined mode is always usable", async () => {
    const { code, stdout } = await check("--json")
    expect(code).toBe(0)
    const rows = lines(stdout)
    expect(rows.map(({ mode, network }) => `${mode} ${network}`)).toEqual(
      ["workspace-read", "workspace-scratch", "read-only", "scratch", "workspace-write", "danger-full-access"].flatMap((
        mode
      ) => [`${mode} true`, `${mode} false`])
    )
    expect(rows.find(({ mode, network }) => mode === "danger-full-access" && network)).toMatchObject({
      usable: true,
      report: { backend: "none" }
    })
    for (const { note, remedy, report, usable } of rows) {
      expect(note).not.toBe("")
      expect(usable ? report : remedy).toBeDefined()
    }
  })

  it("reports what is missing and the remedy", async () => {
    const { code, stdout } = await check("--backend", "docker")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^SANDBOX MODE +NETWORK +USABLE/)
    expect(stdout).toMatch(/workspace-write +on +no +\S/)
  })

  it("refuses an unknown backend", async () => {
    expect(await check("--backend", "magic")).toMatchObject({ code: 2 })
  })
})
