import { z } from 'zod'
import type { IndexFilter } from '../../domain/indexing/index-filter.ts'
import { flag, list, text, wholeNumber } from './config-values.ts'

/** The keys of the section `index`. */
export function indexKeys() {
  return {
    canonical: flag().default(false).describe('Show and open pages under the URL that they call canonical.'),
    maxTitleLength: wholeNumber(1, undefined, 'characters').default(100).describe('Longest title.'),
    maxContentLength: wholeNumber(1, undefined, 'characters')
      .exactOptional()
      .describe('Longest text. Without it, as much as `parse.maxTextChars` kept.'),
    maxAnchors: wholeNumber(0)
      .default(100)
      .describe('Texts of links to one page, the most frequent first. `invertlinks` gathers them.'),
    metadata: list(text(/./, 'a name'), 'names')
      .default([])
      .describe(
        'Names of metadata that documents get: what parse filters added, `description`, a header of the answer, or what its seed line said.',
      ),
    filter: z
      .custom<IndexFilter>((value) => typeof value === 'function', { error: 'give a function' })
      .exactOptional()
      .meta({
        description:
          'Given each document and its page before it is indexed; returns the document, changed if need be, or `undefined` to leave the page out.',
        shownType: 'function',
      }),
  }
}
