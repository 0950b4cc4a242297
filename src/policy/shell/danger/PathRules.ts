/**
 * Paths as people write them: `~` is any home, and also whatever is unknown; `*` stays inside one folder, `**` does
 * not; `/**` at the end is the folder itself and all below. The first row that fits decides.
 */
export interface PathRule {
  readonly category: string
  readonly path: RegExp
}

export const paths = (category: string, table: string): PathRule => ({
  category,
  path: new RegExp(table.trim().split(/\s+/).map(source).join("|"))
})

const source = (pattern: string): string => {
  const home = pattern.startsWith("~/")
  const below = pattern.endsWith("/**")
  const body = pattern.slice(home ? 2 : 0, below ? -3 : undefined)
  const text = body
    .replace(/[.+^${}()|[\]\\?]/g, "\\$&")
    .replaceAll("**", "\u0001")
    .replaceAll("*", "[^/]*")
    .replaceAll("\u0001", ".*")
  return `${home ? "(?:^|[/\\0])" : "^(?:/private)?"}${text}${below ? "(?:/.*)?" : ""}$`
}
