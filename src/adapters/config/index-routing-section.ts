import { z } from 'zod'
import type { FieldCondition } from '../../domain/indexing/field-condition.ts'
import type { IndexDocument } from '../../domain/indexing/index-document.ts'
import type { IndexWriter } from '../../domain/indexing/index-writer.ts'
import { TEXT_FIELDS } from '../../domain/indexing/shape-document.ts'
import { choiceValue, docs, integerValue, listValue, stringValue } from './config-values.ts'

/** Opens a writer of the user; called for each update of the index. */
export type OpenWriter = () => IndexWriter | Promise<IndexWriter>

/** The keys of the section `index` that add to documents and decide which index gets them. */
export function indexRoutingKeys() {
  return {
    targets: z
      .record(stringValue(/^[\w.-]+$/, 'a name of letters, digits, ".", "_" and "-"'), target(), {
        error: 'expected names with their indexes',
      })
      .readonly()
      .default({})
      .register(docs, {
        description:
          "Names for indexes, for `--to` and `exchanges`: `{ news: 'solr:https://…/news' }`. Or a function that returns an `IndexWriter` of your own.",
        displayType: 'names with an index or a function',
      }),
    exchanges: listValue(
      z
        .strictObject({ to: listValue(name(), 'names of indexes'), when: condition().exactOptional() })
        .readonly(),
      'exchanges',
    )
      .default([])
      .register(docs, {
        description:
          "Which index gets which documents: `{ to: ['news'], when: { url: 'https://example.org/news/*' } }`. A document goes to the indexes of all conditions that it meets; if there are none, to those of entries without `when`. An index that is not named gets all documents.",
        displayType: 'list of `{ to, when? }`',
      }),
    static: z
      .record(
        name(),
        z.union([z.string(), listValue(z.string(), 'texts')], {
          error: 'expected a text, or a list of texts',
        }),
        {
          error: 'expected names with their values',
        },
      )
      .readonly()
      .default({})
      .register(docs, {
        description: "Metadata for every document: `{ source: 'intranet' }`.",
        displayType: 'names with a text or a list of texts',
      }),
    subcollections: listValue(
      z
        .strictObject({
          name: name(),
          include: listValue(name(), 'URL patterns'),
          exclude: listValue(name(), 'URL patterns').default([]),
        })
        .readonly(),
      'subcollections',
    )
      .default([])
      .register(docs, {
        description:
          "Named sets of URLs; documents get the names as metadata `subcollection`: `{ name: 'news', include: ['https://example.org/news/*'], exclude: [] }`. `*` stands for any text.",
        displayType: 'list of `{ name, include, exclude? }`',
      }),
    replace: listValue(
      z
        .strictObject({
          field: name(),
          pattern: name(),
          replacement: z.string({ error: 'expected a text' }),
          flags: stringValue(/^[ims]*$/, 'some of the letters i, m and s').default(''),
          to: name().exactOptional(),
          when: condition().exactOptional(),
        })
        .refine(({ field, to = field }) => !FACTS.has(to), {
          error: `expected as result a name of metadata, or one of ${[...TEXT_FIELDS].join(', ')}`,
        })
        .readonly(),
      'replacements',
    )
      .default([])
      .register(docs, {
        description:
          "Replacements in fields of documents, in this order: `{ field: 'title', pattern: ' - Example$', replacement: '' }`. The pattern is a regular expression of RE2; `$1` in the replacement is its first group. `to` names metadata for the result.",
        displayType: 'list of `{ field, pattern, replacement, flags?, to?, when? }`',
      }),
    links: listValue(choiceValue(['inlinks', 'outlinks']), '`inlinks` and `outlinks`')
      .default([])
      .register(docs, {
        description:
          'Links that documents get as metadata, and `filter` as its third argument: `inlinks`, `outlinks`. `inlinks` need `invertlinks` and the engine `duckdb`.',
      }),
    maxLinks: integerValue(1)
      .default(1000)
      .register(docs, { description: 'Maximum number of inlinks and of outlinks per document.' }),
  }
}

/** Fields that replacements may read and not change. */
const FACTS: ReadonlySet<string> = new Set([
  ...['id', 'url', 'host', 'domain', 'digest', 'boost', 'tstamp', 'lastModified', 'published', 'segment'],
  ...['cluster', 'metadata'],
])

function name() {
  return stringValue(/./, 'a text that is not empty')
}

function target() {
  return z.union([name(), z.custom<OpenWriter>((value) => typeof value === 'function')], {
    error:
      'expected an index like solr:https://host:8983/solr/core, or a function that returns an IndexWriter',
  })
}

function condition() {
  return z.union(
    [
      z.custom<(document: IndexDocument) => boolean>((value) => typeof value === 'function'),
      z.record(name(), z.union([name(), listValue(name(), 'values')])).readonly(),
    ],
    { error: 'expected fields with their values, or a function' },
  ) as z.ZodType<FieldCondition, FieldCondition>
}
