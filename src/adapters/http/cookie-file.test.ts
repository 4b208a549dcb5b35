import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { startRawServer } from '../../../testing/raw-server.ts'
import { CookieFile } from './cookie-file.ts'
import { CookieJar, type CookieState } from './cookie-jar.ts'
import { HttpFetcher } from './http-fetcher.ts'
import { keepCookies } from './keep-cookies.ts'

const STATE: CookieState = {
  site: 'example.com',
  name: 'id',
  value: '1',
  domain: 'a.example.com',
  hostOnly: true,
  path: '/',
  secure: false,
  expiresAt: 1_900_000_000_000.5,
}

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cookies-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('has none at first', async () => {
  expect(await new CookieFile(folder).load()).toEqual([])
})

it('gives back what was saved last', async () => {
  await new CookieFile(folder).save([STATE, { ...STATE, name: 'old' }])
  await new CookieFile(folder).save([STATE])
  expect(await new CookieFile(folder).load()).toEqual([STATE])
  expect(readdirSync(folder)).toEqual(['cookies.json'])
})

it.runIf(process.platform !== 'win32')('is for the eyes of its owner alone', async () => {
  await new CookieFile(folder).save([STATE])
  expect(statSync(join(folder, 'cookies.json')).mode & 0o777).toBe(0o600)
})

it.each([
  ['half a file', '[{"site":'],
  ['something else', '{"cookies":[]}'],
  ['a cookie without a domain', JSON.stringify([{ ...STATE, domain: undefined }])],
  ['a cookie that no header can have', JSON.stringify([{ ...STATE, value: 'a\r\nX: y' }])],
])('has none after %s', async (_, text) => {
  writeFileSync(join(folder, 'cookies.json'), text)
  expect(await new CookieFile(folder).load()).toEqual([])
})

it('keeps a crawl logged in whose process was killed after a save', async () => {
  const server = await startRawServer((socket, head) =>
    socket.write(
      `HTTP/1.1 ${head.includes('id=1') ? 200 : 403} \r\nSet-Cookie: id=1\r\nContent-Length: 0\r\n\r\n`,
    ),
  )
  /** As far as `kill -9` is concerned: nothing is done at the end. */
  const killed = async (work: (send: () => Promise<string>, save: () => Promise<void>) => Promise<void>) => {
    const clock = new FakeClock()
    const cookies = new CookieJar(clock)
    const web = new HttpFetcher({ agent: { name: 'Weaver' }, allowPrivateHosts: () => true, cookies })
    await new Promise<void>((dead) => {
      void keepCookies(cookies, new CookieFile(folder), clock, async (save) => {
        await work(async () => (await web.fetch({ url: server.origin })).kind, save)
        dead()
        await new Promise(() => {})
      })
    })
    await web.close()
  }
  try {
    await killed(async (send, save) => {
      expect(await send()).toBe('access-denied')
      await save()
    })
    await killed(async (send) => expect(await send()).toBe('success'))
  } finally {
    await server.close()
  }
})
