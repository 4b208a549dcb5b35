import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { requireS3Server } from '../../../testing/require-s3-server.ts'
import { type S3Server, startS3Server } from '../../../testing/s3-server.ts'
import type { ObjectStore, StoredObject } from '../../domain/object-store/object-store.ts'
import { openObjectStore } from './open-object-store.ts'

describe.runIf(requireS3Server())('a store on a real S3 server', () => {
  let server: S3Server
  let store: ObjectStore
  let folder: string
  let tests = 0
  beforeAll(async () => {
    server = await startS3Server()
    folder = mkdtempSync(join(tmpdir(), 'orbweaver-object-store-'))
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  beforeEach(async () => {
    store = await openObjectStore(`s3://crawls/test-${++tests}`, {}, { env: server.env })
    return () => store.close()
  })

  it('returns the bytes that were put, and nothing for other keys', async () => {
    expect(await store.put('a/b.txt', Buffer.from('hello'))).toBe('put')
    expect(await textOf('a/b.txt')).toBe('hello')
    expect(await store.get('a/c.txt')).toBeUndefined()
    expect(await store.read('a/c.txt')).toBeUndefined()
    expect(await store.download('a/c.txt', join(folder, 'c'))).toBe(false)
  })

  it('replaces an object, unless it is to be absent', async () => {
    expect(await store.put('x', Buffer.from('1'), { ifAbsent: true })).toBe('put')
    expect(await store.put('x', Buffer.from('2'), { ifAbsent: true })).toBe('exists')
    expect(await textOf('x')).toBe('1')
    expect(await store.put('x', Buffer.from('3'))).toBe('put')
    expect(await textOf('x')).toBe('3')
  })

  it('puts and downloads empty and large files', async () => {
    for (const bytes of [0, 1, 16 * 1024 * 1024, 40 * 1024 * 1024 + 17]) {
      const [from, to] = [join(folder, 'from'), join(folder, 'to')]
      const content = randomBytes(bytes)
      writeFileSync(from, content)
      expect(await store.put(`f-${bytes}`, { file: from }, { ifAbsent: true })).toBe('put')
      expect(await store.put(`f-${bytes}`, { file: from }, { ifAbsent: true })).toBe('exists')
      expect(await store.download(`f-${bytes}`, to)).toBe(true)
      expect(readFileSync(to).equals(content)).toBe(true)
    }
    expect(await list('f-')).toMatchObject([
      { bytes: 0 },
      { bytes: 1 },
      { bytes: 16_777_216 },
      { bytes: 41_943_057 },
    ])
  })

  it.each(['a b+c', "!'()*~", 'é 漢字 😀', 'a&b<c>"', '%41%2F', 'x=1?y=2#z'])(
    'keeps the key %s as it is',
    async (key) => {
      await store.put(`odd/${key}`, Buffer.from(key))
      expect(await textOf(`odd/${key}`)).toBe(key)
      expect((await list('odd/')).map((object) => object.key)).toEqual([`odd/${key}`])
      await store.delete([`odd/${key}`])
      expect(await list('odd/')).toEqual([])
    },
  )

  it('lists objects by prefix, over pages, and deletes them', async () => {
    const keys = Array.from({ length: 1_101 }, (_, i) => `many/${String(i).padStart(4, '0')}`)
    // The server keeps objects as files.
    const files = join(server.folder, `test-${tests}`)
    mkdirSync(join(files, 'many'), { recursive: true })
    for (const key of keys) writeFileSync(join(files, key), '1')
    await store.put('other', Buffer.from('22'))
    expect((await list('many/')).map(({ key }) => key)).toEqual(keys)
    expect((await list('')).length).toBe(1_102)
    await store.delete([...keys, 'missing'])
    expect(await list('')).toMatchObject([{ key: 'other', bytes: 2 }])
  })

  async function textOf(key: string): Promise<string> {
    return Buffer.from((await store.get(key)) ?? []).toString()
  }

  async function list(prefix: string): Promise<StoredObject[]> {
    const objects: StoredObject[] = []
    for await (const object of store.list(prefix)) objects.push(object)
    return objects
  }
})
