/** Node 22 announces its SQLite as experimental on stderr, once, while the module loads. */
export const loadSqlite = () => {
  const announce = process.emitWarning
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule("node:sqlite")
  } finally {
    process.emitWarning = announce
  }
}
