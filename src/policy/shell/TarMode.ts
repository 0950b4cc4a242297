import type { Command } from "./Command.ts"

/** `tar xzf`, `tar -xzf` and `tar --extract` alike. */
export const tarMode = (command: Command): "create" | "extract" | "list" => {
  const first = command.args[0]?.guess ?? ""
  const letters = /^[A-Za-z]+$/.test(first) ? first : ""
  if (command.line.has("-x", "--extract", "--get") || /x/.test(letters)) return "extract"
  return command.line.has("-c", "-r", "-u", "--create", "--append", "--update") || /[cru]/.test(letters)
    ? "create"
    : "list"
}
