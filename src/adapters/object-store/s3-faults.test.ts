import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { QuickClock } from '../../../testing/quick-clock.ts'
import { requireS3Server, S3_SERVER } from '../../../testing/require-s3-server.ts'
import { type S3Fault, type S3FaultProxy, startS3FaultProxy } from '../../../testing/s3-fault-proxy.ts'
import { type S3Server, startS3Server } from '../../../testing/s3-server.ts'
import type { ObjectStore } from '../../domain/object-store/object-store.ts'
import { type OpenObjectStoreOptions, openObjectStore } from './open-object-store.ts'
import type { ObjectStoreSettings } from './s3-endpoint.ts'

const MIB = 1024 * 1024

describe.runIf(requireS3Server())('a store behind a network with faults', () => {
  let server: S3Server
  let proxy: S3FaultProxy
  let store: ObjectStore
  let clock: QuickClock
  let folder: string
  let tests = 0
  const opened: ObjectStore[] = []
  beforeAll(async () => {
    server = await startS3Server()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'orbweaver-s3-faults-'))
    proxy = await startS3FaultProxy(server.endpoint)
    clock = new QuickClock()
    tests += 1
    store = await open()
  })
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close()
    await proxy.close()
    rmSync(folder, { recursive: true })
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

  it('reads expired credentials again, once', async () => {
    const file = join(folder, 'credentials')
    const write = (token: string) =>
      writeFileSync(
        file,
        `[default]\naws_access_key_id = ${server.env['AWS_ACCESS_KEY_ID']}\naws_secret_access_key = ${server.env['AWS_SECRET_ACCESS_KEY']}\n${token}\n`,
      )
    write('aws_session_token = old')
    const env = { AWS_SHARED_CREDENTIALS_FILE: file, AWS_ENDPOINT_URL: proxy.endpoint }
    const renewed = await open({}, env)
    proxy.decide((_, headers) =>
      headers['x-amz-security-token'] === 'old'
        ? { kind: 'respond', status: 400, code: 'ExpiredToken' }
        : undefined,
    )
    await expect(renewed.put('a', Buffer.from('1'))).rejects.toMatchObject({
      code: 'OBJECT_STORE_REFUSED',
      reason: 'credentials-expired',
      message: expect.stringContaining('Sign in again'),
    })
    expect(proxy.requests).toHaveLength(1)
    write('')
    expect(await renewed.put('a', Buffer.from('1'))).toBe('put')
    expect(proxy.requests).toHaveLength(3)
  })

  describe('says in one line what to change', () => {
    it.each<[string, () => Promise<ObjectStore>, string, string | RegExp]>([
      [
        'a missing bucket',
        () => open({}, env(), 's3://no-such-bucket/x'),
        'bucket-missing',
        's3://no-such-bucket/x: there is no such bucket at http://127.0.0.1',
      ],
      [
        'an unknown access key',
        () => open({}, env({ AWS_ACCESS_KEY_ID: 'unknown' })),
        'credentials-unknown',
        'AWS_ACCESS_KEY_ID',
      ],
      [
        'a wrong secret',
        () => open({}, env({ AWS_SECRET_ACCESS_KEY: 'wrong-secret' })),
        'credentials-unknown',
        'AWS_SECRET_ACCESS_KEY',
      ],
      [
        'no credentials',
        () => open({}, { HOME: folder, AWS_ENDPOINT_URL: proxy.endpoint }),
        'credentials-missing',
        'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      ],
      [
        'a profile without credentials',
        () => open({ profile: 'mine' }, { ...env(), HOME: folder }),
        'credentials-missing',
        'the profile "mine"',
      ],
      ['a wrong region', () => open({ region: 'eu-west-9' }), 'wrong-region', 'objectStore.region'],
      [
        'a missing permission',
        () => open({}, env({ AWS_ACCESS_KEY_ID: 'guest', AWS_SECRET_ACCESS_KEY: 'guest-secret' })),
        'permission-denied',
        'Grant s3:GetObject',
      ],
      [
        'a clock that is behind',
        () => open({}, env(), undefined, new QuickClock(-3_600_000)),
        'clock-skew',
        /the clock of this machine is (?:59|60|1 h).* behind the object store\. Set the clock/,
      ],
    ])('%s', async (_, openIt, reason, text) => {
      createGuest()
      const failing = await openIt()
      for (const use of [() => failing.put('a', Buffer.from('1')), () => firstOf(failing.list(''))]) {
        const error = await use().then(
          () => undefined,
          (cause: Error) => cause,
        )
        expect(error).toMatchObject({ code: 'OBJECT_STORE_REFUSED', reason, retryable: false })
        expect(error?.message).toMatch(text)
        expect(error?.message).not.toMatch(/not-a-secret|guest-secret|wrong-secret|\n/)
      }
    })

    it('a server that is not an object store', async () => {
      failFirst(1_000, { kind: 'respond', status: 404, body: '<html>Not Found</html>' })
      await expect(store.put('a', Buffer.from('1'))).rejects.toMatchObject({
        reason: 'not-a-store',
        message: expect.stringContaining('Check objectStore.endpoint'),
      })
    })

    it.each([
      ['a port without a server', () => 'http://127.0.0.1:1', 'ECONNREFUSED'],
      ['a host that does not exist', () => 'http://no-such-host.invalid', /ENOTFOUND|EAI_AGAIN/],
    ])('%s', async (_, endpoint, cause) => {
      const failing = await open({ endpoint: endpoint() })
      const message = await failing.put('a', Buffer.from('1')).catch((error: Error) => error.message)
      expect(message).toMatch(cause)
      expect(message).toContain(`Check the endpoint (${endpoint()})`)
    })
  })

  function open(
    settings: ObjectStoreSettings = {},
    environment: OpenObjectStoreOptions['env'] = env(),
    url = `s3://crawls/f${tests}`,
    itsClock = clock,
  ): Promise<ObjectStore> {
    return openObjectStore(url, settings, { env: environment, clock: itsClock }).then((one) => {
      opened.push(one)
      return one
    })
  }

  function env(changes: Record<string, string> = {}): Record<string, string> {
    return { ...server.env, AWS_ENDPOINT_URL: proxy.endpoint, ...changes }
  }

  function failFirst(times: number, fault: S3Fault): void {
    let failures = 0
    proxy.decide(() => (failures++ < times ? fault : undefined))
  }

  function objectFile(key: string): string {
    return join(server.folder, `f${tests}`, key)
  }

  /** A user without access to the bucket. */
  function createGuest(): void {
    const user = ['--access', 'guest', '--secret', 'guest-secret', '--role', 'user']
    try {
      execFileSync(
        S3_SERVER,
        [
          ...['admin', '--access', 'tester', '--secret', 'not-a-secret', '--endpoint-url', server.endpoint],
          ...['create-user', ...user],
        ],
        { stdio: 'ignore' },
      )
    } catch {
      // It exists since the first of these tests.
    }
  }
})

async function firstOf<T>(list: AsyncIterable<T>): Promise<T | undefined> {
  for await (const one of list) return one
  return undefined
}
