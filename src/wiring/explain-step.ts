import { wallClock } from '../base/clock.ts'
import type { CrawlDb } from '../domain/crawldb/crawl-db.ts'
import type { FetchSchedule } from '../domain/schedule/fetch-schedule.ts'
import { explainUrl } from '../flows/cycle/explain-url.ts'
import type { CrawlSession } from './crawl-session.ts'
import type { UrlExplanation } from './cycle-options.ts'

/** All that a crawl knows about a URL. */
export async function explainStep(
  { db, links, segments, rules, seeds }: Pick<CrawlSession, 'db' | 'links' | 'segments' | 'rules' | 'seeds'>,
  url: string,
): Promise<UrlExplanation> {
  const { normalize, filter } = rules
  const schedule = await plannedSchedule(rules.schedule, db)
  const story = await explainUrl(
    { db, links, segments, normalize, filter, rules, schedule, clock: wallClock },
    url,
  )
  return {
    ...story,
    seed: story.normalized.ok && seeds.includes(story.normalized.url),
    ...(story.record === undefined && { dropped: (await db.stats()).dropped }),
  }
}

/** The schedule with its last plan, if it makes plans. */
export async function plannedSchedule(
  schedule: FetchSchedule,
  db: Pick<CrawlDb, 'stats'>,
): Promise<FetchSchedule> {
  const plan = schedule.planning === undefined ? undefined : (await db.stats()).plan
  return plan === undefined ? schedule : (schedule.planning?.withPlan(plan) ?? schedule)
}
