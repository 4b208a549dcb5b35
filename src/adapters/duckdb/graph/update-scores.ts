import type { Session } from '../session.ts'

/** Sets the scores of all records from the ranked nodes (Nutch: scoreupdater). */
export async function updateScores(
  session: Session,
  clearScore: number,
): Promise<{ ranked: number; cleared: number }> {
  await session.run(`
    CREATE TEMP TABLE new_scores AS
    SELECT u.rowid AS row_id, n.score
    FROM urls u LEFT JOIN webgraph_nodes n ON n.fp = u.fp AND n.url = u.url AND n.score IS NOT NULL`)
  const { ranked, cleared } = await session.one<{ ranked: number; cleared: number }>(`
    SELECT count(score)::DOUBLE AS ranked, (count(*) - count(score))::DOUBLE AS cleared FROM new_scores`)
  await session.begin()
  await session.run(`
    UPDATE urls SET score = coalesce(s.score, ${clearScore}::FLOAT) FROM new_scores s WHERE urls.rowid = s.row_id`)
  return { ranked, cleared }
}
