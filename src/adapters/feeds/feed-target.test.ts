import { expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { type FeedTarget, parseFeedTarget } from './feed-target.ts'

const FILE = { kind: 'file', fields: undefined, from: 'items', batchSize: undefined, overwrite: undefined }

it.each([
  ['items.jsonl', 'jsonl'],
  ['items.ndjson', 'jsonl'],
  ['items.jl', 'jsonl'],
  ['out/ITEMS.JSON', 'json'],
  ['prices.csv', 'csv'],
  ['data.parquet', 'parquet'],
])('tells the format of %s from its name', (path, format) => {
  expect(parseFeedTarget(path)).toEqual({ ...FILE, path, format })
})

it.each([
  ['items.txt:jsonl', 'items.txt', 'jsonl'],
  ['items:csv', 'items', 'csv'],
  ['a:b.json', 'a:b.json', 'json'],
  ['C:\\out.csv', 'C:\\out.csv', 'csv'],
])('takes %s apart', (text, path, format) => {
  expect(parseFeedTarget(text)).toEqual({ ...FILE, path, format })
})

it('knows objects, and files by the time of the run', () => {
  const path = 's3://bucket/a//items-{time}.csv'
  expect(() => parseFeedTarget(path)).toThrow('empty names')
  expect(parseFeedTarget('S3://bucket/a/items.csv')).toMatchObject({ objectUrl: 's3://bucket/a/items.csv' })
  expect(parseFeedTarget('items-{time}.csv')).toMatchObject({ batchSize: Number.POSITIVE_INFINITY })
  expect(parseFeedTarget('items-{time}-{batch}.csv')).toMatchObject({ batchSize: 10_000 })
})

it('knows the standard output', () => {
  const output = { kind: 'output', fields: undefined, from: 'items' }
  expect(parseFeedTarget('-')).toEqual({ ...output, format: 'jsonl' })
  expect(parseFeedTarget('-:csv')).toEqual({ ...output, format: 'csv' })
})

it('takes options from code', () => {
  expect(parseFeedTarget({ path: 'a-{batch}.jsonl', batchSize: 5, fields: ['x'], overwrite: true })).toEqual({
    ...FILE,
    path: 'a-{batch}.jsonl',
    format: 'jsonl',
    batchSize: 5,
    fields: ['x'],
    overwrite: true,
  })
  expect(parseFeedTarget('a-{batch}.jsonl')).toMatchObject({ batchSize: 10_000 })
})

it.each<[FeedTarget, string]>([
  ['items.xml', 'end it in .jsonl, .json, .csv or .parquet, or write items.xml:jsonl'],
  ['items', 'the format cannot be told'],
  ['items.txt:xml', 'only as jsonl, json, csv or parquet'],
  ['-:parquet', 'name a file such as items.parquet'],
  ['', 'needs a file name'],
  ['ftp://host/items.jsonl', 'hand in a writer'],
  ['s3://bucket', 'name an object'],
  ['s3://bucket/folder/:csv', 'name an object'],
  ['s3://b/items.jsonl', 's3://bucket/prefix'],
  ['s3://bucket/a/../items.jsonl', 'not allowed'],
  ['{batch}/items.jsonl', 'belongs in the name of the file'],
  ['{time}/items.jsonl', 'belongs in the name of the file'],
  [{ path: 'items.jsonl', batchSize: 5 }, 'needs {batch} in the name'],
  [{ path: 'items-{batch}.jsonl', batchSize: 0 }, 'a whole number from 1 up'],
  [{ path: 'items.csv', fields: [] }, 'is empty'],
  [{ name: '', write: async () => {} }, 'needs a name'],
])('refuses %o and says what to do', (target, message) => {
  expect(() => parseFeedTarget(target)).toThrow(ConfigurationError)
  expect(() => parseFeedTarget(target)).toThrow(message)
})
