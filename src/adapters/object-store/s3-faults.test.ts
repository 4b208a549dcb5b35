import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { QuickClock } from '../../../testing/quick-clock.ts'
import { RecordingLog } from '../../../testing/recording-log.ts'
import { requireS3Server } from '../../../testing/require-s3-server.ts'
import type { S3FaultProxy } from '../../../testing/s3-fault-proxy.ts'
import type { S3Server } from '../../../testing/s3-server.ts'
import { firstOf, useFaultyS3 } from '../../../testing/use-faulty-s3.ts'
import type { ObjectStore } from '../../domain/object-store/object-store.ts'

const MIB = 1024 * 1024

describe.runIf(requireS3Server())('a store behind a network with faults', () => {
  let server: S3Server
  let proxy: S3FaultProxy
  let clock: QuickClock
  let folder: string
  let store: ObjectStore
  let prefix: string
  const { open, env, failFirst } = useFaultyS3('faults', (test) => {
    ;({ server, proxy, clock, folder, store, prefix } = test)
  })

  it('repeats requests that the store is too busy for, with growing and random delays', async () => {
    failFirst(5, { kind: 'respond', status: 503, code: 'SlowDown' })
    expect(await store.put('a', Buffer.from('1'))).toBe('put')
    expect(clock.waitsMs).toHaveLength(5)
    for (const [i, waitMs] of clock.waitsMs.entries()) {
      expect(waitMs).toBeGreaterThanOrEqual(100 * 2 ** i)
      expect(waitMs).toBeLessThanOrEqual(200 * 2 ** i)
    }
    expect(new Set(clock.waitsMs.map((waitMs, i) => waitMs / 2 ** i)).size).toBe(5)
  })

  it('tells in time that it retries, and when the store responds again, once each', async () => {
    const log = new RecordingLog()
    const told = await open({}, env(), undefined, { log })
    await told.put('a', Buffer.from('1'))
    failFirst(3, { kind: 'respond', status: 503, code: 'SlowDown' })
    await told.put('a', Buffer.from('1'))
    expect(log.events).toEqual([])
    failFirst(1_000, { kind: 'cut-request', afterBytes: 0 })
    const startedAt = Date.now()
    for (let i = 0; i < 2; i++) await expect(told.put('a', Buffer.from('1'))).rejects.toThrow('11 times')
    failFirst(0, { kind: 'lose-response' })
    await told.put('a', Buffer.from('1'))
    expect(log.events.map(({ code }) => code)).toEqual(['OBJECT_STORE_LOST', 'OBJECT_STORE_BACK'])
    const [, until = ''] = /retrying until about (.+)$/.exec(log.events[0]?.message ?? '') ?? []
    const lastTryMs = Date.parse(until.replace(' ', 'T')) - startedAt
    expect(lastTryMs).toBeGreaterThan(60_000)
    expect(lastTryMs).toBeLessThan(120_000)
  })

  it('leaves no object and no upload when a put is tried out', async () => {
    await store.checkPut('deep/er')
    expect(proxy.requests.map((line) => line.split(' ')[0])).toEqual(['POST', 'DELETE'])
    expect(await store.get('deep/er')).toBeUndefined()
    expect(await firstOf(store.list(''))).toBeUndefined()
  })

  it('tries out puts of a store without multipart uploads', async () => {
    failFirst(1, { kind: 'respond', status: 501, code: 'NotImplemented' })
    await store.checkPut('a')
  })

  it('gives up after a bounded number of repetitions', async () => {
    failFirst(1_000, { kind: 'respond', status: 503, code: 'SlowDown' })
    await expect(store.put('a', Buffer.from('1'))).rejects.toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
      message: expect.stringMatching(/503 SlowDown, 11 times in a row/),
    })
    expect(proxy.requests).toHaveLength(11)
    expect(Math.max(...clock.waitsMs)).toBeLessThanOrEqual(20_000)
  })

  it('puts an object whole if the connection breaks in the request', async () => {
    const bytes = randomBytes(8 * MIB)
    failFirst(2, { kind: 'cut-request', afterBytes: MIB })
    expect(await store.put('a', bytes)).toBe('put')
    expect(proxy.requests).toHaveLength(3)
    expect(readFileSync(objectFile('a')).equals(bytes)).toBe(true)
  })

  it('leaves the earlier object, or none, if the connection always breaks', async () => {
    await store.put('old', Buffer.from('old'))
    proxy.decide((line) => (line.startsWith('PUT') ? { kind: 'cut-request', afterBytes: MIB } : undefined))
    for (const key of ['old', 'new'])
      await expect(store.put(key, randomBytes(4 * MIB))).rejects.toMatchObject({
        code: 'OBJECT_STORE_UNAVAILABLE',
      })
    expect(readFileSync(objectFile('old'), 'utf8')).toBe('old')
    expect(await store.get('new')).toBeUndefined()
  })

  it('continues a response where the connection broke', async () => {
    const bytes = randomBytes(5 * MIB)
    await store.put('a', bytes)
    let breaks = 0
    proxy.decide((line) =>
      line.startsWith('GET') && breaks++ < 3 ? { kind: 'cut-response', afterBytes: MIB } : undefined,
    )
    expect(bytes.equals((await store.get('a')) ?? Buffer.alloc(0))).toBe(true)
    expect(breaks).toBe(4)
    breaks = 0
    const file = join(folder, 'a')
    expect(await store.download('a', file)).toBe(true)
    expect(readFileSync(file).equals(bytes)).toBe(true)
  })

  it('does not mix two versions of an object, and leaves no part of a file', async () => {
    await store.put('a', randomBytes(3 * MIB))
    proxy.decide((line) => (line.startsWith('GET') ? { kind: 'cut-response', afterBytes: MIB } : undefined))
    const pieces = await store.read('a')
    const direct = await open({}, { ...server.env })
    await direct.put('a', randomBytes(3 * MIB))
    const readAll = async () => {
      for await (const _ of pieces ?? []);
    }
    await expect(readAll()).rejects.toThrow('was replaced or deleted while it was read')
    proxy.decide((line) => (line.startsWith('GET') ? { kind: 'cut-response', afterBytes: 0 } : undefined))
    await expect(store.download('a', join(folder, 'a'))).rejects.toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('recognizes its own put if the response was lost', async () => {
    failFirst(1, { kind: 'lose-response' })
    expect(await store.put('a', Buffer.from('1'))).toBe('put')
    failFirst(1, { kind: 'lose-response' })
    expect(await store.put('b', Buffer.from('1'), { ifAbsent: true })).toBe('put')
    expect(proxy.requests.map((line) => line.split(' ')[0])).toEqual(['PUT', 'PUT', 'PUT', 'PUT', 'HEAD'])
    failFirst(1, { kind: 'lose-response' })
    expect(await store.put('b', Buffer.from('1'), { ifAbsent: true })).toBe('exists')
  })

  it('recognizes its own large put if the response was lost', async () => {
    const bytes = randomBytes(20 * MIB)
    writeFileSync(join(folder, 'large'), bytes)
    for (const ifAbsent of [false, true]) {
      let lost = 0
      proxy.decide((line) =>
        line.startsWith('POST') && line.includes('uploadId') && lost++ === 0
          ? { kind: 'lose-response' }
          : undefined,
      )
      expect(await store.put(`a-${ifAbsent}`, { file: join(folder, 'large') }, { ifAbsent })).toBe('put')
      expect(lost).toBe(2)
      expect(readFileSync(objectFile(`a-${ifAbsent}`)).equals(bytes)).toBe(true)
    }
  })

  it('removes the parts of a large put that fails', async () => {
    writeFileSync(join(folder, 'large'), randomBytes(40 * MIB))
    proxy.decide((line) =>
      line.includes('partNumber=2') ? { kind: 'respond', status: 403, code: 'AccessDenied' } : undefined,
    )
    await expect(store.put('a', { file: join(folder, 'large') })).rejects.toMatchObject({
      reason: 'permission-denied',
    })
    expect(proxy.requests.at(-1)).toMatch(/^DELETE .*uploadId=/)
    expect(await store.get('a')).toBeUndefined()
    const left = readdirSync(server.folder, { recursive: true, withFileTypes: true })
    expect(left.filter((entry) => entry.isFile() && entry.parentPath.includes('multipart'))).toEqual([])
  })

  it('repeats a large put whose end fails after its status was sent', async () => {
    writeFileSync(join(folder, 'large'), randomBytes(20 * MIB))
    let failures = 0
    proxy.decide((line) =>
      line.startsWith('POST') && line.includes('uploadId') && failures++ === 0
        ? { kind: 'respond', status: 200, code: 'InternalError' }
        : undefined,
    )
    expect(await store.put('a', { file: join(folder, 'large') })).toBe('put')
    expect(failures).toBe(2)
  })

  function objectFile(key: string): string {
    return join(server.folder, prefix, key)
  }
})
