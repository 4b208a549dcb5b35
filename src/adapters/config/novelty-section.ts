import { z } from 'zod'
import { DEFAULT_NOVELTY_LIMITS, type NoveltyRule } from '../../domain/novelty/novelty-budget.ts'
import type { NoveltyRules } from '../../domain/novelty/novelty-rules.ts'
import { booleanValue, docs, integerValue, numberValue } from './config-values.ts'

const { trialPages, enough, perNovelPage, basePages, retryDays } = DEFAULT_NOVELTY_LIMITS

/** The key `novelty`. */
export function noveltySection() {
  return z
    .union([booleanValue(), noveltyOptions()], { error: 'expected true, false or { trialPages, enough, … }' })
    .default(false)
    .register(docs, {
      description:
        'Fetch less of URL patterns that bring nothing new, such as the views of a wiki or endless calendars: [traps](traps.md). Held URLs stay `db_unfetched`; `orbweaver novelty` lists and releases them.',
      displayType: '`true`, `false` or `{ … }`',
    })
}

function noveltyOptions() {
  return z
    .strictObject({
      trialPages: integerValue(1).default(trialPages).register(docs, {
        description: 'Pages of a URL pattern that are fetched before it is judged.',
      }),
      enough: numberValue(0, 1).default(enough).register(docs, {
        description:
          'Average share of new phrases from which a pattern is not limited, from 0 to 1. Pages that lead to new content count, too.',
      }),
      perNovelPage: numberValue(0).default(perNovelPage).register(docs, {
        description: "Pages of other patterns that a host gets for each page's worth of new content.",
      }),
      basePages: integerValue(0).default(basePages).register(docs, {
        description: 'Pages of other patterns that every host gets.',
      }),
      retryDays: numberValue(0, undefined, 'days').default(retryDays).register(docs, {
        description: 'Days after which one more page of a pattern that is held back is tried.',
      }),
      ignoreParameters: booleanValue().default(true).register(docs, {
        description:
          'Fetch one of several URLs that differ only in parameters which do not change the words of pages: session ids, sort orders.',
      }),
      rule: z
        .custom<NoveltyRule>((value) => typeof value === 'function', { error: 'expected a function' })
        .exactOptional()
        .register(docs, {
          description:
            'Replaces the budget: called with the evidence of a pattern and of its host, it returns how many URLs of the pattern the next fetch list may have.',
          displayType: 'function',
        }),
    })
    .readonly()
}

/** The rules of the setting; `undefined`: no URL is held back. */
export function noveltyRules(setting: z.output<ReturnType<typeof noveltySection>>): NoveltyRules | undefined {
  if (setting === false) return undefined
  if (setting === true) return { limits: DEFAULT_NOVELTY_LIMITS, ignoreParameters: true }
  const { ignoreParameters, rule, ...limits } = setting
  return { limits, ignoreParameters, ...(rule !== undefined && { rule }) }
}
