import type { ActionContext, RiskFinding } from "../decision/CallAction.ts"
import type { Analyse, ShellAnalysis } from "../decision/ShellAnalysis.ts"
import { capabilityOf } from "./Classify.ts"
import { shapesOf } from "./danger/Danger.ts"
import { networkProgramsOf } from "./NetworkPrograms.ts"
import { parse } from "./ShellParser.ts"
import { Walk } from "./Walk.ts"

/** Reads a command line. Never throws: what cannot be read is one opaque part (policy §1.9 E10). */
export const analyse: Analyse = (command, place) => {
  try {
    const script = parse(command)
    if (script === undefined) return unreadable(command)
    const walk = new Walk(place)
    walk.start(script)
    return walk.parseError ? unreadable(command, walk) : summed(walk, place, command)
  } catch {
    return unreadable(command)
  }
}

const summed = (walk: Walk, place: ActionContext, text: string): ShellAnalysis => {
  const shapes: Array<RiskFinding> = walk.floods.map((part) => ({ category: "resource", part }))
  for (const command of walk.commands) shapes.push(...shapesOf(command, place))
  const opaque = walk.tooDeep || walk.reevaluation.isPossible || walk.commands.some((command) => command.opaque)
  if (walk.tooDeep) shapes.push({ category: "obfuscated", part: text })
  return {
    parts: walk.parts,
    inner: walk.inner,
    capability: capabilityOf(walk, shapes, opaque, place),
    opaque,
    parseError: false,
    shapes,
    networkPrograms: networkProgramsOf(walk.commands)
  }
}

/** Whatever was found on the way is kept: a deny rule should still see it. */
const unreadable = (command: string, walk?: Walk): ShellAnalysis => ({
  parts: [
    {
      kind: "command",
      text: command,
      program: null,
      argv: [null],
      assignments: [],
      wrappers: [],
      cwd: null,
      touches: [],
      opaque: true
    },
    ...(walk?.parts ?? [])
  ],
  inner: walk?.inner ?? [],
  capability: "shell_rw",
  opaque: true,
  parseError: true,
  shapes: [],
  networkPrograms: walk === undefined ? [] : networkProgramsOf(walk.commands)
})
