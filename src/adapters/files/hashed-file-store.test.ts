import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HeaderList } from '../../domain/fetch/headers.ts'
import type { FileDraft, FileLimits } from '../../domain/files/file-store.ts'
import { FolderPlace } from './file-place.ts'
import { HashedFileStore } from './hashed-file-store.ts'
import { PartialFolder } from './partial-folder.ts'

const URL_A = 'http://a.test/a.txt'
const TEXT: HeaderList = [['content-type', 'text/plain']]
const BODY = Buffer.from('the content of a file\n'.repeat(100))

let folder: string
let store: HashedFileStore

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-files-'))
  store = await open()
})
afterEach(() => rmSync(folder, { recursive: true }))

async function open(): Promise<HashedFileStore> {
  const partial = new PartialFolder(join(folder, '.partial'))
  await partial.open()
  return new HashedFileStore(new FolderPlace(folder), partial)
}

const begin = (limits: Partial<FileLimits> = {}, url = URL_A) =>
  store.begin(url, { maxBytes: 1e6, types: [], ...limits })

async function receive(draft: FileDraft, body: Uint8Array, headers = TEXT, status = 200): Promise<void> {
  if (!draft.open({ status, headers })) return
  for (let at = 0; at < body.length; at += 500)
    if ((await draft.write(body.subarray(at, at + 500))) === false) return
}

const partialFiles = () => readdirSync(join(folder, '.partial'))

describe('a complete file', () => {
  it('is stored by its hash, once for all URLs with the same content', async () => {
    const hash = createHash('sha256').update(BODY).digest('hex')
    for (const url of [URL_A, 'http://b.test/copy']) {
      const draft = await begin({}, url)
      await receive(draft, BODY)
      expect(await draft.finish(undefined)).toEqual({
        kind: 'stored',
        file: { path: `${hash.slice(0, 2)}/${hash}.txt`, hash, size: BODY.length, type: 'text/plain' },
      })
    }
    expect(readFileSync(join(folder, hash.slice(0, 2), `${hash}.txt`))).toEqual(BODY)
    expect(readdirSync(join(folder, hash.slice(0, 2)))).toHaveLength(1)
    expect(partialFiles()).toEqual([])
  })

  it('is found by its URL until it is deleted or its record is damaged', async () => {
    const draft = await begin()
    await receive(draft, BODY)
    const end = await draft.finish(undefined)
    if (end.kind !== 'stored') throw new Error(end.kind)
    const file = { ...end.file, url: URL_A, checkedAt: 5, validators: { etag: '"1"' } }
    await store.remember(file)
    expect(await store.find(URL_A)).toEqual(file)
    expect(await store.find('http://a.test/other')).toBeUndefined()
    const [record = ''] = readdirSync(join(folder, '.urls'), { recursive: true }).filter((name) =>
      String(name).endsWith('.json'),
    ) as string[]
    const text = readFileSync(join(folder, '.urls', record), 'utf8')
    writeFileSync(join(folder, '.urls', record), text.slice(0, 20))
    expect(await store.find(URL_A)).toBeUndefined()
    writeFileSync(join(folder, '.urls', record), text)
    rmSync(join(folder, file.path))
    expect(await store.find(URL_A)).toBeUndefined()
  })

  it('is decoded if the server encodes it, unless the coding belongs to the file', async () => {
    const headers: HeaderList = [...TEXT, ['content-encoding', 'gzip']]
    const draft = await begin()
    await receive(draft, gzipSync(BODY), headers)
    expect(await draft.finish(undefined)).toMatchObject({ file: { size: BODY.length } })
    const packed = await begin({}, 'http://a.test/data.tar.gz')
    await receive(packed, gzipSync(BODY), headers)
    expect(await packed.finish(undefined)).toMatchObject({ file: { size: gzipSync(BODY).length } })
  })
})

describe('an interrupted download', () => {
  const headers: HeaderList = [...TEXT, ['etag', '"v1"']]

  async function interrupt(): Promise<void> {
    const draft = await begin()
    await receive(draft, BODY.subarray(0, 1_000), headers)
    expect(await draft.finish('disconnect')).toMatchObject({ kind: 'incomplete' })
  }

  it('is continued where it stopped', async () => {
    await interrupt()
    store = await open()
    const draft = await begin()
    expect(draft.headers).toEqual({ range: 'bytes=1000-', 'if-range': '"v1"' })
    const range: HeaderList = [...headers, ['content-range', `bytes 1000-${BODY.length - 1}/${BODY.length}`]]
    await receive(draft, BODY.subarray(1_000), range, 206)
    const hash = createHash('sha256').update(BODY).digest('hex')
    expect(await draft.finish(undefined)).toMatchObject({ kind: 'stored', file: { hash } })
    expect(partialFiles()).toEqual([])
  })

  it('starts again if the file has changed', async () => {
    await interrupt()
    const draft = await begin()
    await receive(draft, BODY, [...TEXT, ['etag', '"v2"']])
    expect(await draft.finish(undefined)).toMatchObject({ kind: 'stored', file: { size: BODY.length } })
  })

  it('is dropped if the server sends another part than requested', async () => {
    await interrupt()
    const draft = await begin()
    await receive(draft, BODY, [...headers, ['content-range', 'bytes 5-9/10']], 206)
    expect(await draft.finish(undefined)).toMatchObject({
      kind: 'incomplete',
      reason: expect.stringContaining('another part of the file'),
    })
    expect(partialFiles()).toEqual([])
  })

  it('is not kept without a validator, nor longer than a week', async () => {
    const draft = await begin()
    await receive(draft, BODY.subarray(0, 1_000))
    await draft.finish('time')
    expect(partialFiles()).toEqual([])
    await interrupt()
    for (const name of partialFiles()) utimesSync(join(folder, '.partial', name), 0, 0)
    await open()
    expect(partialFiles()).toEqual([])
  })
})

describe('a file that is not wanted', () => {
  it.each<[string, Partial<FileLimits>, HeaderList, string]>([
    ['is announced as too large', { maxBytes: 999 }, [...TEXT, ['content-length', '1000']], 'file-too-large'],
    ['becomes too large', { maxBytes: 999 }, TEXT, 'file-too-large'],
    ['has another type', { types: ['image/*'] }, TEXT, 'file-type'],
  ])('because it %s is rejected, and leaves nothing behind', async (_, limits, headers, code) => {
    const draft = await begin(limits)
    await receive(draft, BODY, headers)
    expect(await draft.finish(undefined)).toMatchObject({ kind: 'rejected', code })
    expect(partialFiles()).toEqual([])
  })

  it('because it is damaged is incomplete', async () => {
    const draft = await begin()
    await receive(draft, BODY, [...TEXT, ['content-encoding', 'gzip']])
    expect(await draft.finish(undefined)).toMatchObject({
      kind: 'incomplete',
      reason: expect.stringContaining('cannot be decoded'),
    })
  })
})
