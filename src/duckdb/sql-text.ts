/** A string literal. For what cannot be a parameter: file names in COPY and read_parquet. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A list of string literals. */
export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(', ')}]`
}
