import { expect, it } from 'vitest'
import { indexDocument } from '../../../testing/index-documents.ts'
import { type DocumentShape, shapeDocument } from './shape-document.ts'

const NOTHING: DocumentShape = { static: {}, subcollections: [], replace: [] }
const document = indexDocument('https://example.org/news/1', {
  title: 'Bread - Example',
  metadata: { source: 'own', tags: ['a-1', 'b-2'] },
})
const withoutDigits = (text: string) => text.replaceAll(/-\d/g, '')

it('adds metadata that the document does not have', () => {
  const { metadata } = shapeDocument(document, { ...NOTHING, static: { source: 'x', group: ['y', 'z'] } })
  expect(metadata).toMatchObject({ source: 'own', group: ['y', 'z'] })
})

it('names the subcollections of a URL', () => {
  const subcollections = [
    { name: 'news', include: ['https://example.org/news/*', '*/press/*'], exclude: [] },
    { name: 'old', include: ['https://example.org/*'], exclude: ['*/news/*'] },
    { name: 'all', include: ['*'], exclude: [] },
  ]
  const shaped = shapeDocument(document, { ...NOTHING, subcollections })
  expect(shaped.metadata['subcollection']).toEqual(['news', 'all'])
})

it('replaces in fields, in metadata, in other metadata, and where a condition is met', () => {
  const replace = [
    { field: 'title', apply: (text: string) => text.replace(' - Example', '') },
    { field: 'tags', apply: withoutDigits },
    { field: 'url', to: 'section', apply: (text: string) => text.split('/')[3] ?? '' },
    { field: 'title', apply: () => 'never', when: { host: 'other.test' } },
    { field: 'lang', apply: () => 'absent' },
  ]
  const shaped = shapeDocument(document, { ...NOTHING, replace })
  expect(shaped).toMatchObject({
    title: 'Bread',
    metadata: { tags: ['a', 'b'], section: 'news', source: 'own' },
  })
  expect(shaped).not.toHaveProperty('lang')
})

it('adds the URLs of links, each once', () => {
  const link = (url: string) => ({ url, anchor: 'x' })
  const links = { inlinks: [link('http://a.test/'), link('http://a.test/')], outlinks: [] }
  const { metadata } = shapeDocument(document, NOTHING, links)
  expect(metadata['inlinks']).toEqual(['http://a.test/'])
  expect(metadata).not.toHaveProperty('outlinks')
})
