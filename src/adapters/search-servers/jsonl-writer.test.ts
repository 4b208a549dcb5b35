import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { put, remove } from '../../../testing/index-documents.ts'
import { indexWriterContract } from '../../../testing/index-writer-contract.ts'
import { storedFields } from '../../../testing/stored-fields.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { IndexUnavailable } from '../../domain/indexing/index-writer.ts'
import { JsonlWriter } from './jsonl-writer.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-jsonl-'))
  file = join(folder, 'pages.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

type Line = { readonly id: string; readonly deleted?: boolean }

const lines = () =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line)

/** As a reader takes them: the last line of an id counts. */
const documents = () =>
  [...new Map(lines().map((line) => [line.id, line])).values()].filter(({ deleted }) => deleted !== true)

async function written(...changes: Parameters<JsonlWriter['write']>[0]): Promise<void> {
  const writer = await JsonlWriter.open(file)
  await writer.write(changes)
  await writer.commit()
  await writer.close()
}

indexWriterContract('JsonlWriter', async () => ({
  writer: await JsonlWriter.open(file),
  reopen: () => JsonlWriter.open(file),
  stored: async () => documents().map(storedFields),
  close: async () => {},
}))

it('has a line for each change', async () => {
  await written(put('a'))
  await written(put('b'), remove('a'))
  expect(lines()).toMatchObject([{ id: 'a', content: 'text' }, { id: 'b' }, { id: 'a', deleted: true }])
})

it('has nothing on a line that a reader could take for its end', async () => {
  await written(put('a', { content: 'x\n\u0085\u2028\u2029y' }))
  expect(readFileSync(file, 'utf8').trimEnd()).not.toMatch(/[\n\u0085\u2028\u2029]/)
  expect(lines()).toMatchObject([{ content: 'x\n\u0085\u2028\u2029y' }])
})

it('mends what a killed process left, wherever it was killed', async () => {
  await written(put('a'), put('b', { content: 'grün '.repeat(20) }))
  const whole = readFileSync(file)
  const first = whole.indexOf('\n') + 1
  for (let length = first; length < whole.length - 1; length += 7) {
    writeFileSync(file, whole)
    truncateSync(file, length)
    await written(put('c'))
    expect(lines().map(({ id }) => id)).toEqual(['a', 'c'])
  }
})

it('mends a file whose only line is torn', async () => {
  writeFileSync(file, '{"id":"a","con')
  await written(put('b'))
  expect(lines().map(({ id }) => id)).toEqual(['b'])
})

it('keeps a last line that only lacks its end', async () => {
  writeFileSync(file, '{"id":"a"}\n{"id":"b"}')
  await written(put('c'))
  expect(lines().map(({ id }) => id)).toEqual(['a', 'b', 'c'])
})

it('finds the last line of a large file', async () => {
  const large = `{"id":"a","content":"${'x'.repeat(3_000_000)}"}\n`
  writeFileSync(file, `${large}{"id":"b","content":"${'y'.repeat(2_500_000)}`)
  await written(put('c'))
  expect(lines().map(({ id }) => id)).toEqual(['a', 'c'])
})

it('says when there is no room', async () => {
  const writer = await JsonlWriter.open('/dev/full')
  await expect(writer.write([put('a')])).rejects.toThrow(IndexUnavailable)
  await writer.close()
})

it('does not touch a file of another kind, nor a folder', async () => {
  writeFileSync(file, 'dear diary')
  await expect(JsonlWriter.open(file)).rejects.toThrow(ConfigurationError)
  expect(readFileSync(file, 'utf8')).toBe('dear diary')
  await expect(JsonlWriter.open(folder)).rejects.toThrow(ConfigurationError)
  await expect(JsonlWriter.open(join(folder, 'no/such.jsonl'))).rejects.toThrow('the file cannot be opened')
})
