import type { Settings } from '../adapters/config/config-schema.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { DocumentShape, Replacement } from '../domain/indexing/shape-document.ts'

type IndexSettings = Settings['index']

/** What the settings add to documents; `undefined`: nothing. @throws ConfigurationError for a pattern that is not valid */
export async function documentShape(index: IndexSettings): Promise<DocumentShape | undefined> {
  const { static: fixed, subcollections, replace, links } = index
  const sizes = [Object.keys(fixed), subcollections, replace, links].map(({ length }) => length)
  if (sizes.every((size) => size === 0)) return undefined
  return { static: fixed, subcollections, replace: await replacementsOf(replace) }
}

async function replacementsOf(rules: IndexSettings['replace']): Promise<Replacement[]> {
  if (rules.length === 0) return []
  // Loaded late: few crawls have replacements.
  const { RE2JS } = await import('re2js')
  return rules.map(({ field, pattern, replacement, flags, to, when }) => {
    try {
      const regex = RE2JS.compile(flags === '' ? pattern : `(?${flags})${pattern}`)
      const missing = [...replacement.matchAll(/\$(\d)/g)].find(([, n]) => Number(n) > regex.groupCount())
      if (missing !== undefined) throw new Error(`it has no group ${missing[1]}`)
      const apply = (text: string) => regex.matcher(text).replaceAll(replacement)
      return { field, apply, ...withoutUndefined({ to, when }) }
    } catch (error) {
      throw new ConfigurationError(
        'SETTING_INVALID',
        `index.replace: ${JSON.stringify(pattern)} cannot be used: ${(error as Error).message}`,
        { cause: error },
      )
    }
  })
}
