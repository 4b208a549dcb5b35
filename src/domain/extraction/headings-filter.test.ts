import { expect, it } from 'vitest'
import { readTestDocument } from '../../../testing/read-test-document.ts'
import { createHeadingsFilter } from './headings-filter.ts'

async function headingsOf(page: string, levels: readonly string[]) {
  const bytes = Buffer.from(page)
  const reading = await readTestDocument(bytes)
  const input = { url: 'http://a.test/', headers: [], bytes, reading, metadata: {} }
  return (await createHeadingsFilter(levels).filter(input))?.metadata
}

it('gives the headings of the chosen levels in order', async () => {
  const page =
    '<h1>Top &amp; first</h1><h2>One</h2><p>text<h2> Two\n <b>bold</b></h2><h3>left out</h3><h2></h2>'
  expect(await headingsOf(page, ['h1', 'h2', 'h4'])).toEqual({ h1: 'Top & first', h2: 'One\nTwo bold' })
})

it('has nothing to say about other documents', async () => {
  expect(await headingsOf('plain text', ['h1'])).toBeUndefined()
})
