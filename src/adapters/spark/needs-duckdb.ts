import { ConfigurationError } from '../../base/crawl-error.ts'

/** The error of a feature that the Spark engine does not have. */
export function needsDuckDb(feature: string): ConfigurationError {
  return new ConfigurationError(
    'OPTION_INVALID',
    `${feature} needs the DuckDB engine: convert the crawl with orbweaver db convert <dir> --to duckdb, or do without`,
  )
}
