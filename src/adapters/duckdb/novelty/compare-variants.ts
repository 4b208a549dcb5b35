import { VARCHAR } from '@duckdb/node-api'
import { parameterVariants } from '../../../domain/novelty/ignored-parameter.ts'
import { fingerprint64Sql } from '../fingerprint64-sql.ts'
import type { Session } from '../session.ts'
import type { NoveltyState } from './novelty-state.ts'

/**
 * Compares the pages of `first_pages` with earlier pages whose URLs differ in one parameter alone, or lack it: do they have the same words?
 * `write` adds the counts to `novelty_parameters`.
 */
export async function compareVariants(
  session: Session,
  state: NoveltyState,
): Promise<{ write(): Promise<void> }> {
  await session.run(`
    CREATE TEMP TABLE worded_pages AS
    SELECT url, substr(sketch, 1, 8) AS words FROM first_pages WHERE sketch IS NOT NULL`)
  const variants = await session.stage('variants', { slot: VARCHAR, remainder: VARCHAR, words: VARCHAR })
  for await (const batch of session.batches<{ url: string; words: string }>('worded_pages'))
    for (const { url, words } of batch) {
      // The page itself is the one without the parameter for others.
      variants.add('', url, words)
      const [place = ''] = state.patterns.patternOf(url).split('?', 1)
      for (const { slot, remainder } of parameterVariants(url, place)) variants.add(slot, remainder, words)
    }
  variants.close()
  await session.run(`
    CREATE TEMP TABLE page_variants AS
    SELECT v.slot AS name, ${fingerprint64Sql('v.slot')} AS slot, ${fingerprint64Sql('v.remainder')} AS remainder, ('0x' || v.words)::UINTEGER AS words
    FROM variants v;
    CREATE TEMP TABLE compared AS
    WITH others AS (
      SELECT slot, remainder, words FROM novelty_variants UNION ALL SELECT slot, remainder, words FROM page_variants
    ), chosen AS (SELECT slot, remainder, min(words) AS words, count(*) AS pages FROM others GROUP BY slot, remainder),
    plain AS (SELECT remainder, words FROM chosen WHERE slot = ${fingerprint64Sql(`''`)})
    SELECT v.name AS slot, coalesce(p.words, c.words) = v.words AS is_same
    FROM page_variants v JOIN chosen c ON c.slot = v.slot AND c.remainder = v.remainder LEFT JOIN plain p ON p.remainder = v.remainder
    WHERE v.name <> '' AND (p.words IS NOT NULL OR c.pages > 1)`)
  return {
    async write() {
      await session.run(`
        INSERT INTO novelty_variants
        SELECT slot, remainder, min(words) FROM page_variants v
        WHERE NOT EXISTS (SELECT 1 FROM novelty_variants n WHERE n.slot = v.slot AND n.remainder = v.remainder) GROUP BY slot, remainder;
        CREATE TEMP TABLE compared_slots AS
        SELECT slot, sum(same)::UINTEGER AS same, sum(different)::UINTEGER AS different, bool_or(refused) AS refused,
          max(held)::UINTEGER AS held
        FROM (
          SELECT slot, count(*) FILTER (is_same) AS same, count(*) FILTER (NOT is_same) AS different, false AS refused, 0 AS held
          FROM compared GROUP BY slot
          UNION ALL SELECT slot, same, different, refused, held FROM novelty_parameters
        ) GROUP BY slot;
        DELETE FROM novelty_parameters;
        INSERT INTO novelty_parameters SELECT * FROM compared_slots`)
    },
  }
}
