import { expect, test } from "vitest"
import { make, shownSetting } from "../../src/cli/client/SessionSettings.ts"

const option = (currentValue: string) => ({
  type: "select" as const,
  id: "work_mode",
  name: "Work mode",
  category: "mode",
  currentValue,
  options: [{ value: "ro", name: "Mode: read only" }, { value: "aw", name: "Mode: all work" }]
})

test("The client calls a mode by its own name, also after the answer to a changed option", () => {
  const settings = make()
  const availableModes = [{ id: "ro", name: "Read only" }, { id: "aw", name: "All work" }]
  settings.adopt({ modes: { currentModeId: "aw", availableModes }, configOptions: [option("aw")] })
  expect(shownSetting(settings.mode()!)).toBe("All work (aw)")
  settings.adopt({ configOptions: [option("ro")] })
  expect(shownSetting(settings.mode()!)).toBe("Read only (ro)")
})
