/** The request for a summary of a conversation. The offline model recognises it by its first line. */

const opening = "Summarise the conversation below so that the work can go on without it."

export const system =
  "You write the notes from which somebody else goes on with a coding session. You answer with the notes only."

export const instruction = (conversation: string, focus: string): string =>
  [
    opening,
    "Keep: what the user wants, in their own words where it matters; decisions and why they were made; files that were read, made or " +
    "changed, and how; commands and what they showed; errors and how they were solved; what is done, what is not, and the next step. " +
    "Keep names, paths, numbers and code that will be needed exactly as they are. Write in the language of the conversation, in short lines.",
    ...(focus === "" ? [] : [`Above all keep what concerns this: ${focus}`]),
    `<conversation>\n${conversation}\n</conversation>`
  ].join("\n\n")

const maxAsked = 20

/** The notes of the offline model: prompts and tool names of the conversation. `undefined` for any other request. */
export const offlineNotes = (request: string): string | undefined => {
  if (!request.startsWith(opening)) return undefined
  const lines = request.split("\n")
  const asked = lines.flatMap((line) => line.startsWith("User: ") ? [`- ${line.slice(6, 206)}`] : [])
  const calls = new Set(lines.flatMap((line) => /^Call of (\S+):/.exec(line)?.[1] ?? []))
  return [
    `The user asked:\n${asked.slice(-maxAsked).join("\n")}`,
    ...(calls.size === 0 ? [] : [`Tools that were used: ${[...calls].join(", ")}.`])
  ].join("\n")
}
