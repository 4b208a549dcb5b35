import { z } from 'zod'
import type { DocumentReader } from '../../domain/content/documents/document-reader.ts'
import type { ParseFilter } from '../../domain/parse/parse-rules.ts'
import { booleanValue, choiceValue, docs, implementation, integerValue, listValue } from './config-values.ts'

/** Keys of `parse`. */
export function parseSection() {
  return {
    maxTextChars: integerValue(1).default(1_000_000).register(docs, {
      description: 'Maximum length of the text of a page, in characters; longer text is truncated.',
    }),
    signature: choiceValue(['md5', 'text-profile']).default('md5').register(docs, {
      description:
        'Signature that decides whether a page has changed: over all bytes (`md5`), or over its most frequent words (`text-profile`).',
    }),
    fingerprints: listValue(choiceValue(['text-profile', 'sim-hash']), 'fingerprints')
      .default([])
      .register(docs, {
        description:
          'Further fingerprints stored in `parse_data`, to find near-duplicates. Each takes about as long as parsing the page.',
      }),
    markFailed: booleanValue().default(false).register(docs, {
      description:
        'Give pages that were fetched but could not be parsed the status `db_parse_failed`: they are fetched less and less often, and `clean` deletes them from indexes. Otherwise they are `db_fetched`.',
    }),
    filters: listValue(implementation<ParseFilter>('ParseFilter', ['filter']), 'parse filters')
      .default([])
      .register(docs, {
        description:
          'Functions run on every parsed page, in parser threads. They add fields and change links.',
        displayType: 'list of `ParseFilter`',
      }),
    detectLanguage: booleanValue().default(false).register(docs, {
      description:
        'Detect the language of pages that do not declare it, with the package `eld`. Their metadata says `languageSource: detected`.',
    }),
    headings: listValue(choiceValue(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']), 'levels of headings')
      .default([])
      .register(docs, {
        description:
          'Headings of HTML pages that are stored as metadata, by level: `["h1", "h2"]`. Each page is parsed a second time for it.',
      }),
    maxExpandedBytes: integerValue(1, undefined, 'bytes').default(67_108_864).register(docs, {
      description:
        'Maximum size that the parts of a compressed document (Word, OpenDocument, EPUB) may expand to, together, in bytes.',
    }),
    readers: z
      .record(readerKey(), z.custom<DocumentReader>(isFunction, { error: 'expected a function' }), {
        error: 'expected types of documents with their readers',
      })
      .readonly()
      .default({})
      .register(docs, {
        description:
          'Your own readers of documents, by type (`application/x-foo`) or by the end of the path (`.foo`). They run in parser threads, and come before the built-in ones.',
        displayType: 'object of `DocumentReader`',
      }),
  }
}

const isFunction = (value: unknown) => typeof value === 'function'

/** HTML is left out: without its robots metas, a page that says noindex would be indexed. */
function readerKey() {
  const error =
    "expected a type like 'application/x-foo' or the end of a path like '.foo'; change HTML with parse.filters"
  return z
    .string({ error })
    .regex(/^(?!(?:text\/html|application\/xhtml\+xml)$)(?:[\w.+-]+\/[\w.+-]+|\.[\w-]+)$/i, { error })
    .overwrite((key) => key.toLowerCase())
}
