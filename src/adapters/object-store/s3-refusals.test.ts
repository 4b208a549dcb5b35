import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { QuickClock } from '../../../testing/quick-clock.ts'
import { requireS3Server } from '../../../testing/require-s3-server.ts'
import type { S3FaultProxy } from '../../../testing/s3-fault-proxy.ts'
import type { S3Server } from '../../../testing/s3-server.ts'
import { ALL_PERMISSIONS, type S3Permission } from '../../../testing/s3-users.ts'
import { firstOf, useFaultyS3 } from '../../../testing/use-faulty-s3.ts'
import type { ObjectStore } from '../../domain/object-store/object-store.ts'

describe.runIf(requireS3Server())('a store that rejects requests', () => {
  let server: S3Server
  let proxy: S3FaultProxy
  let folder: string
  let store: ObjectStore
  const { open, env, failFirst } = useFaultyS3('refusals', (test) => {
    ;({ server, proxy, folder, store } = test)
  })

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
      'a clock that is behind',
      () => open({}, env(), undefined, { clock: new QuickClock(-3_600_000) }),
      'clock-skew',
      /the clock of this machine is (?:59|60|1 h).* behind the object store\. Set the clock/,
    ],
  ])('%s', async (_, openIt, reason, text) => {
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

  it.each<[S3Permission, RegExp, (failing: ObjectStore) => Promise<unknown>]>([
    ['s3:PutObject', /\/a cannot be put/, (failing) => failing.put('a', Buffer.from('1'))],
    ['s3:PutObject', /\/a cannot be put/, (failing) => failing.checkPut('a')],
    ['s3:PutObject', /\/a cannot be put/, (failing) => failing.put('a', { file: largeFile() })],
    ['s3:GetObject', /\/there cannot be read/, (failing) => failing.get('there')],
    ['s3:ListBucket', /\/x\/ cannot be listed/, (failing) => firstOf(failing.list('x/'))],
    ['s3:DeleteObject', /\/there cannot be deleted/, (failing) => failing.delete(['there'])],
  ])('a user without %s', async (missing, text, use) => {
    await store.put('there', Buffer.from('1'))
    const others = ALL_PERMISSIONS.filter((permission) => permission !== missing)
    const failing = await open({}, env(await server.users.set('guest', others)))
    const error = await use(failing).then(
      () => undefined,
      (cause: Error) => cause,
    )
    expect(error).toMatchObject({ code: 'OBJECT_STORE_REFUSED', reason: 'permission-denied' })
    expect(error?.message).toMatch(text)
    expect(error?.message).toContain(`Grant ${missing} on the bucket`)
  })

  it('a put whose response was lost, and that may not be read', async () => {
    const writer = await open({}, env(await server.users.set('guest', ['s3:PutObject'])))
    failFirst(1, { kind: 'lose-response' })
    await expect(writer.put('a', Buffer.from('1'), { ifAbsent: true })).rejects.toThrow(
      /\/a cannot be read.*Grant s3:GetObject/,
    )
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

  it('continues all requests at the same time with credentials that were replaced', async () => {
    const file = join(folder, 'credentials')
    const write = (user: string) =>
      writeFileSync(file, `[default]\naws_access_key_id = ${user}\naws_secret_access_key = ${user}-secret\n`)
    for (const user of ['monday', 'tuesday']) await server.users.set(user, ALL_PERMISSIONS)
    write('monday')
    const rotated = await open({}, { AWS_SHARED_CREDENTIALS_FILE: file, AWS_ENDPOINT_URL: proxy.endpoint })
    await rotated.put('before', Buffer.from('1'))
    await server.users.remove('monday')
    write('tuesday')
    const keys = Array.from({ length: 8 }, (_, i) => `after-${i}`)
    const outcomes = await Promise.all(keys.map((key) => rotated.put(key, Buffer.from('1'))))
    expect(new Set(outcomes)).toEqual(new Set(['put']))
  })

  /** Of more than one part. */
  function largeFile(): string {
    const file = join(folder, 'large')
    writeFileSync(file, Buffer.alloc(17 * 1024 * 1024))
    return file
  }
})
