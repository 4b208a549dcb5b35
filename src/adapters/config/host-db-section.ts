import { docs, listValue, stringValue } from './config-values.ts'

/** The keys of `hostDb`. */
export function hostDbSection() {
  const names = () => listValue(stringValue(/^[^\0]+$/, 'a name'), 'names')
  const expression = () => stringValue(/\S/, 'an SQL expression over the columns of hostdb')
  return {
    numericFields: names().default([]).register(docs, {
      description:
        'Metadata keys of records with numbers: `updatehostdb` computes their minimum, maximum, mean and percentiles for each host.',
    }),
    textFields: names().default([]).register(docs, {
      description: 'Metadata keys of records whose values `updatehostdb` counts for each host.',
    }),
    maxCountExpr: expression().exactOptional().register(docs, {
      description:
        'Maximum number of URLs of a host in a segment, as an SQL expression over the columns of `hostdb` (Nutch: `generate.max.count.expr`). NULL: `--max-count` applies; 0: none; a negative number: no limit. Needs the engine DuckDB.',
    }),
    delayExpr: expression().exactOptional().register(docs, {
      description:
        'Delay between two requests to a host in seconds, as an SQL expression over the columns of `hostdb` (Nutch: `generate.fetch.delay.expr`). It is computed when `crawl` or `fetch` starts. NULL: `politeness.delaySeconds` applies; an entry of `politeness.hosts` takes precedence. Needs the engine DuckDB.',
    }),
  }
}
