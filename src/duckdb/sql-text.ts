/** A string literal. For what cannot be a parameter: file names in COPY and read_parquet. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A quoted identifier. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A list of string literals. */
export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(', ')}]`
}
