type NodeSqlite = typeof import('node:sqlite')

let loaded: NodeSqlite | undefined

/**
 * `node:sqlite`, loaded on first use and without the line that some versions of Node.js print about it: what it is built on is SQLite
 * itself, and a user can do nothing about it.
 */
export function nodeSqlite(): NodeSqlite {
  if (loaded !== undefined) return loaded
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    loaded = process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
  return loaded
}
