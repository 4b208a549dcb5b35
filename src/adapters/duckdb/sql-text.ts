/** A string literal. For what cannot be a parameter: file names in COPY and read_parquet. */
export function sqlText(text: string): string {
  const literal = `'${text.replaceAll("'", "''")}'`
  // DuckDB reads a statement up to its first NUL.
  return text.includes('\0') ? `(${literal.replaceAll('\0', "' || chr(0) || '")})` : literal
}

/** A quoted identifier. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A list of string literals. */
export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(', ')}]`
}
