import { VARCHAR } from '@duckdb/node-api'
import { parameterVariants } from '../../../domain/novelty/ignored-parameter.ts'
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
  const variants = await session.stage('variants', { slot: VARCHAR, rest: VARCHAR, words: VARCHAR })
  for await (const batch of session.batches<{ url: string; words: string }>('worded_pages'))
    for (const { url, words } of batch) {
      // The page itself is the one without the parameter for others.
      variants.add('', url, words)
      const [place = ''] = state.patterns.patternOf(url).split('?', 1)
      for (const { slot, rest } of parameterVariants(url, place)) variants.add(slot, rest, words)
    }
  variants.close()
  await session.run(`
    CREATE TEMP TABLE page_variants AS
    SELECT v.slot AS name, md5_number_upper(v.slot) AS slot, md5_number_upper(v.rest) AS rest, ('0x' || v.words)::UINTEGER AS words
    FROM variants v;
    CREATE TEMP TABLE compared AS
    WITH others AS (
      SELECT slot, rest, words FROM novelty_variants UNION ALL SELECT slot, rest, words FROM page_variants
    ), chosen AS (SELECT slot, rest, min(words) AS words, count(*) AS pages FROM others GROUP BY slot, rest),
    plain AS (SELECT rest, words FROM chosen WHERE slot = md5_number_upper(''))
    SELECT v.name AS slot, coalesce(p.words, c.words) = v.words AS is_same
    FROM page_variants v JOIN chosen c ON c.slot = v.slot AND c.rest = v.rest LEFT JOIN plain p ON p.rest = v.rest
    WHERE v.name <> '' AND (p.words IS NOT NULL OR c.pages > 1)`)
  return {
    async write() {
      await session.run(`
        INSERT INTO novelty_variants
        SELECT slot, rest, min(words) FROM page_variants v
        WHERE NOT EXISTS (SELECT 1 FROM novelty_variants n WHERE n.slot = v.slot AND n.rest = v.rest) GROUP BY slot, rest;
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
