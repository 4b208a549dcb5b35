import { isIgnored } from '../../../domain/novelty/ignored-parameter.ts'
import type { NearPage, NoveltyChange, NoveltyReport } from '../../../domain/novelty/novelty-report.ts'
import { splitUrl } from '../../../domain/novelty/url-pattern.ts'
import { fingerprint64Sql } from '../fingerprint64-sql.ts'
import { hasTable } from '../schema.ts'
import type { Session } from '../session.ts'
import { NoveltyState, readParameters, readPatterns } from './novelty-state.ts'

/** Empty for a database of an older version that was never opened for writing since. */
export async function readNovelty(session: Session, url?: string): Promise<NoveltyReport> {
  if (!(await hasTable(session, 'novelty_patterns'))) return { patterns: [], parameters: [] }
  const parameters = await readParameters(session)
  if (url === undefined) return { patterns: await readPatterns(session), parameters }
  const state = await NoveltyState.load(session)
  const pattern = state.patterns.patternOf(url)
  const [place = ''] = pattern.split('?', 1)
  const slots = new Set(splitUrl(url).parameters.map(([name]) => `${place}?${name}=`))
  const evidence = state.evidenceOf(pattern)
  return {
    patterns: evidence.fetched + evidence.held > 0 ? [evidence] : [],
    parameters: parameters.filter((one) => slots.has(one.slot) && isIgnored(one)),
  }
}

/** Returns the number of patterns or parameters that the change applies to. */
export async function changeNovelty(session: Session, { action, target }: NoveltyChange): Promise<number> {
  const isPattern = action === 'release' || action === 'hold'
  const [table, name] = isPattern ? ['novelty_patterns', 'pattern'] : ['novelty_parameters', 'slot']
  const change = isPattern ? `released = ${action === 'release'}` : `refused = ${action === 'keep-parameter'}`
  await session.begin()
  return session.run(
    `UPDATE ${table} SET ${change} WHERE ${name} = $1 OR starts_with(${name}, $1 || '/') OR starts_with(${name}, $1 || '?')`,
    [target],
  )
}

/** The pages that have near-duplicates. */
export async function readNearPages(session: Session, url?: string): Promise<NearPage[]> {
  if (!(await hasTable(session, 'near_pages'))) return []
  const sameCluster =
    url === undefined
      ? ''
      : `AND n.cluster IN (SELECT cluster FROM near_pages WHERE fp = ${fingerprint64Sql('$1')})`
  return session.all<NearPage>(
    `SELECT u.url, printf('%016x', n.cluster) AS cluster, n.kept FROM near_pages n JOIN urls u ON u.fp = n.fp
     WHERE n.cluster IS NOT NULL ${sameCluster} ORDER BY n.cluster, NOT n.kept, u.url`,
    url === undefined ? undefined : [url],
  )
}
