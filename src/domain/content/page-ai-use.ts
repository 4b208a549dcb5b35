import type { AiUseStatement } from '../robots/ai-use.ts'
import { aiUseStatements, parseUsagePreferences } from '../robots/usage-preferences.ts'
import type { PageReading } from './page-reading.ts'
import type { PageUsagePreference } from './page-usage-preferences.ts'

/**
 * The AI-use statements in the headers and metas of a page. Content-Usage and Content-Signal name the uses. A reservation of text and data
 * mining (TDMRep) and `noai` mean training and input; `noimageai` means the images.
 */
export function pageAiUse({
  usage,
  directives,
}: Pick<PageReading, 'usage' | 'directives'>): AiUseStatement[] {
  if (usage.length === 0 && !directives.noai && !directives.noimageai) return []
  return [...usage.flatMap(usageStatements), ...directives.sources.flatMap(directiveStatements)]
}

const FIELDS = { 'content-usage': 'Content-Usage', 'content-signal': 'Content-Signal' } as const

function usageStatements(stated: PageUsagePreference): AiUseStatement[] {
  const { source, from, preference, text, policy } = stated
  if (source === 'tdm-reservation') {
    const conditions = policy === undefined ? '' : ` (tdm-policy: ${policy})`
    const statement = { preference, source: from, text: `tdm-reservation: ${text}${conditions}` }
    return [
      { use: 'train', ...statement },
      { use: 'input', ...statement },
    ]
  }
  const line = { number: 1, text: `${FIELDS[source]}: ${text}` }
  return aiUseStatements(parseUsagePreferences(text, line), from)
}

function directiveStatements({
  directive,
  from,
  agent,
  text,
}: PageReading['directives']['sources'][number]): AiUseStatement[] {
  const name = agent === 'robots' ? text : `${text} (${agent})`
  const statement = { preference: 'disallow', source: from, text: name } as const
  if (directive === 'noimageai') return [{ use: 'images', ...statement }]
  if (directive !== 'noai') return []
  return [
    { use: 'train', ...statement },
    { use: 'input', ...statement },
  ]
}
