import { expect, it } from 'vitest'
import { indexDocument } from '../../../testing/index-documents.ts'
import { indexFields, metadataField } from './index-fields.ts'

it("has Nutch's names, ISO instants, and metadata as fields of their own", () => {
  const document = indexDocument('http://a.test/', {
    ...{ domain: 'a.test', title: 'A', anchors: ['one', 'two'], digest: 'ff', boost: 0.5 },
    ...{ tstamp: 1_790_000_000_123, lastModified: 0, type: 'text/html', lang: 'en' },
    metadata: { author: 'Ada', tags: ['x', 'y'] },
  })
  expect(indexFields(document)).toEqual({
    ...{ id: 'http://a.test/', url: 'http://a.test/', host: 'a.test', domain: 'a.test', title: 'A' },
    ...{ content: 'text', anchor: ['one', 'two'], digest: 'ff', boost: 0.5, type: 'text/html', lang: 'en' },
    ...{ tstamp: '2026-09-21T14:13:20.123Z', lastModified: '1970-01-01T00:00:00.000Z' },
    date: '1970-01-01T00:00:00.000Z',
    ...{ segment: '20260921141320', meta_author: 'Ada', meta_tags: ['x', 'y'] },
  })
})

it('leaves out what the document does not have', () => {
  expect(Object.keys(indexFields(indexDocument('http://a.test/'))).sort()).toEqual([
    ...['boost', 'content', 'date', 'host', 'id', 'segment', 'tstamp', 'url'],
  ])
})

it('makes names of any key, and keeps both values when two become one', () => {
  expect(metadataField('og:title.de-DE')).toBe('meta_og_title_de_DE')
  expect(metadataField('Größe')).toBe('meta_Größe')
  const metadata = { 'og:title': 'a', 'og.title': ['b', 'c'] }
  expect(indexFields(indexDocument('x', { metadata }))['meta_og_title']).toEqual(['a', 'b', 'c'])
})
