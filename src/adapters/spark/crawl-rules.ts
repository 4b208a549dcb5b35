import { steadyClock } from '../../base/clock.ts'
import { createJudge } from '../../domain/crawldb/create-judge.ts'
import { buildRules } from '../config/build-rules.ts'
import { loadSettings, type SettingsSource } from '../config/load-settings.ts'
import { runRulesWorker } from './apply-rules.ts'

/** How executors build the rules of a crawl: from the same settings and seeds as the process that started Spark. */
export interface CrawlRulesSource {
  readonly settings: SettingsSource
  readonly seeds: readonly string[]
}

runRulesWorker<CrawlRulesSource>(async ({ settings, seeds }, { judge }) => {
  const { schedule, scoring, normalize, filter } = buildRules(await loadSettings(settings), {
    clock: steadyClock,
    seeds,
  })
  return {
    rules: { schedule, scoring },
    judge: createJudge({
      ...(judge?.normalizes === true && { normalize }),
      ...(judge?.filters === true && { filter }),
    }),
  }
})
