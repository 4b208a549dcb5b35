import { expect, it } from 'vitest'
import { indexDocument } from '../../testing/index-documents.ts'
import type { Settings } from '../adapters/config/config-schema.ts'
import { sectionSchema } from '../adapters/config/config-schema.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { shapeDocument } from '../domain/indexing/shape-document.ts'
import { documentShape } from './document-shape.ts'

const settings = (index: object) => sectionSchema('index')?.parse(index) as Settings['index']

it('is absent without settings', async () => {
  expect(await documentShape(settings({}))).toBeUndefined()
})

it('replaces with regular expressions of RE2', async () => {
  const replace = [
    { field: 'title', pattern: ' - example$', replacement: '', flags: 'i' },
    { field: 'url', pattern: '^https?://[^/]+/([^/]+)/.*', replacement: '$1', to: 'section' },
  ]
  const shape = await documentShape(settings({ replace }))
  const document = indexDocument('http://a.test/news/1', { title: 'Bread - Example' })
  expect(shape && shapeDocument(document, shape)).toMatchObject({
    title: 'Bread',
    metadata: { section: 'news' },
  })
})

it.each([
  ['(', ''],
  ['a(?=b)', ''],
  ['a', '$1'],
])('rejects the pattern %j with the replacement %j', async (pattern, replacement) => {
  const shape = documentShape(settings({ replace: [{ field: 'title', pattern, replacement }] }))
  await expect(shape).rejects.toThrow(ConfigurationError)
})

it.each([
  [{ replace: [{ field: 'id', pattern: 'a', replacement: '' }] }],
  [{ exchanges: [{ to: 'news' }] }],
  [{ targets: { 'a b': 'sqlite' } }],
  [{ links: ['images'] }],
])('rejects the settings %j', (index) => {
  expect(() => settings(index)).toThrow()
})
