import { workerData } from 'node:worker_threads'
import { steadyClock } from '../base/clock.ts'
import { buildRules } from '../config/build-rules.ts'
import { loadSettings } from '../config/load-settings.ts'
import { parsePage } from '../parse/parse-page.ts'
import type { PageToParse, ParsedPage } from '../parse/parsed-page.ts'
import type { RulesSource } from './rules-source.ts'

// What runs in each thread of a `ParsePool`.

const { settings, seeds } = (workerData as { readonly rules: RulesSource }).rules
const rules = buildRules(await loadSettings(settings), {
  clock: steadyClock,
  ...(seeds !== undefined && { seeds }),
})

export async function parseAll(pages: readonly PageToParse[]): Promise<ParsedPage[]> {
  const parsed: ParsedPage[] = []
  for (const page of pages) parsed.push(await parsePage(page, rules))
  return parsed
}
