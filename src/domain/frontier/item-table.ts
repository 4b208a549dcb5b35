/**
 * Writes rows as one table file for programs that read tables. The file is whole when it gets its name, and replaces one of that name.
 * @param rows each a JSON object without a line break, some at a time
 * @returns the number of rows; without any there is no table, and no file is written
 */
export type TableWriter = (file: string, rows: AsyncIterable<readonly string[]>) => Promise<number>
