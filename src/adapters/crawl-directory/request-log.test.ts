import { randomBytes } from 'node:crypto'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type {
  LogBatch,
  LogEntry,
  RequestEntry,
  RequestLogPart,
} from '../../domain/certificate/request-log-entry.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { ObservedRequest, ObservedRobots } from '../../domain/fetch/request-observer.ts'
import { type LogFileHandle, RequestLog, type RequestLogOptions } from './request-log.ts'
import { requestLogFiles } from './request-log-reader.ts'

const START = Date.parse('2026-11-16T12:00:00.000Z')
const PROCESS = {
  ...{ software: 'orbweaver/1', userAgent: 'orbweaver/1 (+https://bot.test)' },
  ...{ agent: 'orbweaver', denyOnForbidden: false },
}
const LIMITS = { startGapMs: 0, endGapMs: 1_000, maxInFlight: 1 }
const ROBOTS: ObservedRobots = {
  origin: 'http://a.test',
  finding: {
    kind: 'file',
    checkedAt: START - 500,
    octets: 'User-agent: *\nDisallow: /caf\xc3\xa9',
    cut: false,
  },
}

let directory: string
let clock: FakeClock
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'orbweaver-log-'))
  clock = new FakeClock(START)
})
afterEach(() => rm(directory, { recursive: true, force: true }))

function openLog(options: Partial<RequestLogOptions> = {}): RequestLog {
  return new RequestLog(directory, {
    ...{ clock, process: PROCESS, wall: () => clock.now() },
    onError: (error) => {
      throw error
    },
    ...options,
  })
}

function request(url: string, more: Partial<ObservedRequest> = {}): ObservedRequest {
  const now = clock.now()
  return {
    url,
    key: 'a.test',
    purpose: 'page',
    queuedAt: now,
    startedAt: now,
    limits: LIMITS,
    robots: ROBOTS,
    ...more,
  }
}

function success(url: string, status = 200): FetchOutcome {
  const response = { status, headers: [], requestHeaders: [], address: '192.0.2.1', protocol: 'http/1.1' }
  const body = { bytes: new Uint8Array(10), wireBytes: 7, decoded: [] }
  return { kind: 'success', url, timings: { startedAt: 0, totalMs: 5 }, response, body }
}

/** A request that takes 20 ms. */
function send(log: RequestLog, url: string, outcome: FetchOutcome | undefined = success(url)): void {
  const sent = request(url)
  log.sent(sent)
  clock.advance(20)
  log.ended(Object.assign(sent, { endedAt: clock.now(), delayMs: 1_000 }), outcome)
}

async function written(): Promise<LogBatch[]> {
  const [file] = await requestLogFiles(directory)
  return allBatches(file)
}

async function allBatches(file: RequestLogPart | undefined): Promise<LogBatch[]> {
  const batches: LogBatch[] = []
  for await (const batch of file?.batches() ?? []) batches.push(batch)
  return batches
}

async function logPath(): Promise<string> {
  const [name] = await readdir(join(directory, 'requests'))
  return join(directory, 'requests', name ?? '')
}

async function requests(): Promise<RequestEntry[]> {
  const entries: LogEntry[] = (await written()).flatMap((batch) => [...batch.entries])
  return entries.flatMap((entry) => (entry.type === 'request' || entry.type === 'open' ? [entry] : []))
}

it('writes the process, the limits, the robots.txt once, and each request', async () => {
  const log = openLog()
  send(log, 'http://a.test/1')
  send(log, 'http://a.test/2')
  await log.close()
  const [batch] = await written()
  expect(batch?.flush).toEqual({ type: 'flush', at: START + 40, wall: START + 40, closed: true })
  expect(batch?.entries).toEqual([
    { type: 'process', format: 1, ...PROCESS, pid: process.pid, startedAt: START },
    { type: 'limits', id: 1, ...LIMITS },
    {
      ...{
        type: 'robots',
        id: 2,
        origin: 'http://a.test',
        host: 'a.test',
        state: 'file',
        checkedAt: START - 500,
      },
      ...{ hash: expect.stringMatching(/^[0-9a-f]{64}$/), text: 'User-agent: *\nDisallow: /caf\xc3\xa9' },
    },
    {
      ...{ type: 'request', start: START, end: START + 20, url: 'http://a.test/1', status: 200, bytes: 7 },
      ...{ limits: 1, robots: 2, delayMs: 1_000 },
    },
    {
      ...{
        type: 'request',
        start: START + 20,
        end: START + 40,
        url: 'http://a.test/2',
        status: 200,
        bytes: 7,
      },
      ...{ limits: 1, robots: 2, delayMs: 1_000 },
    },
  ])
})

it('writes failures, Retry-After, methods, purposes and queues of other names', async () => {
  const log = openLog()
  const timings = { startedAt: 0, totalMs: 5 }
  const response = {
    status: 429,
    headers: [],
    requestHeaders: [],
    address: '192.0.2.1',
    protocol: 'http/1.1',
  }
  const limited: FetchOutcome = { kind: 'rate-limited', url: '', timings, response, retryAt: START + 9_000 }
  const refused: FetchOutcome = {
    kind: 'network-failure',
    cause: 'connect-refused',
    detail: '',
    url: '',
    timings,
  }
  const post = request('http://www.a.test:81/form', { method: 'POST', isConditional: true })
  log.ended(post, limited)
  log.ended(request('http://a.test/robots.txt', { purpose: 'robots', robots: undefined }), refused)
  await log.close()
  expect(await requests()).toMatchObject([
    { status: 429, retryAt: START + 9_000, method: 'POST', conditional: true, host: 'a.test' },
    { failure: 'connect-refused', purpose: 'robots' },
  ])
})

it('leaves out requests that were not sent, and writes disallowed URLs', async () => {
  const log = openLog()
  const timings = { startedAt: 0, totalMs: 0 }
  send(log, 'http://a.test/1', { kind: 'refused', cause: 'address', detail: '', url: '', timings })
  log.ended(request('http://a.test/2'), undefined)
  log.disallowed('http://a.test/no', 'a.test', ROBOTS)
  await log.close()
  expect(await requests()).toEqual([])
  expect((await written())[0]?.entries.at(-1)).toMatchObject({
    type: 'disallowed',
    url: 'http://a.test/no',
    robots: 1,
  })
})

it('leaves out local files and protocols without robots.txt, which a certificate is not about', async () => {
  const log = openLog()
  for (const url of ['file:///a.txt', 'memo://desk/1', 'ftp://a.test/1']) send(log, url)
  await log.close()
  expect((await requests()).map(({ url }) => url)).toEqual(['ftp://a.test/1'])
})

it('never writes the user name and password of a URL', async () => {
  const log = openLog()
  send(log, 'http://user:secret@a.test/page?mail=a@b.test')
  log.disallowed('http://user:secret@a.test/no', 'a.test', undefined)
  await log.close()
  const text = zstdDecompressSync(await readFile(await logPath())).toString()
  expect(text).toContain('"http://a.test/page?mail=a@b.test"')
  expect(text).not.toContain('secret')
})

it('flushes every second, also requests in flight, so that a killed process loses only the last second', async () => {
  const log = openLog()
  send(log, 'http://a.test/1')
  const slow = request('http://a.test/slow')
  log.sent(slow)
  clock.advance(1_000)
  await log.idle
  expect((await requests()).map(({ type, url }) => [type, url])).toEqual([
    ['request', 'http://a.test/1'],
    ['open', 'http://a.test/slow'],
  ])
  log.ended(Object.assign(slow, { endedAt: clock.now() }), success(slow.url))
  await log.close()
  const [, open, end] = await requests()
  expect(end).toMatchObject({ type: 'request', id: open?.id, url: 'http://a.test/slow', status: 200 })
})

it('leaves no file without requests', async () => {
  const log = openLog()
  clock.advance(5_000)
  await log.close()
  expect(await readdir(directory)).toEqual([])
})

describe('after a disk error', () => {
  /** A disk whose writes fail, after half of the bytes, while `isFull`. */
  function fullDisk() {
    const disk = { isFull: true, bytes: Buffer.alloc(0) as Buffer, errors: [] as unknown[] }
    const handle: LogFileHandle = {
      writev: async (pieces) => {
        const all = Buffer.concat(pieces as unknown as Uint8Array[])
        const taken = disk.isFull ? all.subarray(0, all.length >> 1) : all
        disk.bytes = Buffer.concat([disk.bytes, taken])
        if (disk.isFull) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
        return { bytesWritten: all.length, buffers: pieces }
      },
      truncate: async (length = 0) => {
        disk.bytes = disk.bytes.subarray(0, length)
      },
      close: async () => {},
    }
    const options = {
      openFile: async () => handle,
      onError: (error: unknown) => void disk.errors.push(error),
    }
    return { disk, options }
  }

  async function entriesOf(bytes: Buffer): Promise<LogEntry[]> {
    const folder = join(directory, 'requests')
    await mkdir(folder)
    await writeFile(join(folder, '20261116T120000.000Z-1-abcdef.jsonl.zst'), bytes)
    return (await written()).flatMap((batch) => [...batch.entries])
  }

  it('warns once, continues, and writes everything when there is space again', async () => {
    const { disk, options } = fullDisk()
    const log = openLog(options)
    for (let i = 0; i < 3; i++) {
      send(log, `http://a.test/${i}`)
      clock.advance(1_000)
      await log.idle
    }
    expect(disk.errors).toHaveLength(1)
    expect(disk.bytes).toHaveLength(0)
    disk.isFull = false
    await log.close()
    const urls = (await entriesOf(disk.bytes)).flatMap((entry) =>
      entry.type === 'request' ? [entry.url] : [],
    )
    expect(urls).toEqual(['http://a.test/0', 'http://a.test/1', 'http://a.test/2'])
  })

  it('says what was lost if the space does not come back in time', async () => {
    const { disk, options } = fullDisk()
    const log = openLog(options)
    for (let i = 0; i < 40; i++) {
      // Random, so that it cannot be compressed: 5 KB each.
      for (let j = 0; j < 100; j++) send(log, `http://a.test/${randomBytes(5_000).toString('base64url')}`)
      clock.advance(1_000)
      await log.idle
    }
    disk.isFull = false
    await log.close()
    const entries = await entriesOf(disk.bytes)
    expect(entries.some(({ type }) => type === 'process')).toBe(true)
    const lost = entries.flatMap((entry) => (entry.type === 'lost' ? [entry.requests] : []))
    expect(lost).not.toEqual([])
    const kept = entries.filter(({ type }) => type === 'request').length
    expect(lost.reduce((sum, n) => sum + n, 0) + kept).toBe(4_000)
  })
})

describe('a damaged file', () => {
  async function logOf(frames: number): Promise<Buffer> {
    const log = openLog()
    for (let i = 0; i < frames; i++) {
      send(log, `http://a.test/${i}`)
      clock.advance(1_000)
      await log.idle
    }
    await log.close()
    return readFile(await logPath())
  }

  it('is read up to any cut', async () => {
    const whole = await logOf(5)
    const path = await logPath()
    const all = (await requests()).map(({ url }) => url)
    expect(all).toHaveLength(5)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), async (length) => {
        await writeFile(path, whole.subarray(0, length))
        const urls = (await requests()).map(({ url }) => url)
        expect(urls).toEqual(all.slice(0, urls.length))
        const [file] = await requestLogFiles(directory)
        await allBatches(file)
        expect(file?.damagedBytes).toBe(0)
      }),
      { numRuns: 60 },
    )
    await writeFile(path, whole.subarray(0, whole.length - 1))
    // Only the last flush, with the end of the process, is missing.
    expect(await requests()).toHaveLength(5)
  })

  it('never gives other requests than were written, whatever bytes are overwritten or inserted', async () => {
    const whole = await logOf(5)
    const path = await logPath()
    const all = new Set((await requests()).map((entry) => JSON.stringify(entry)))
    const garbage = fc.uint8Array({ minLength: 1, maxLength: 400 })
    const position = fc.nat(whole.length - 1)
    await fc.assert(
      fc.asyncProperty(position, garbage, fc.boolean(), async (at, bytes, isInserted) => {
        const remaining = whole.subarray(isInserted ? at : Math.min(whole.length, at + bytes.length))
        await writeFile(path, Buffer.concat([whole.subarray(0, at), bytes, remaining]))
        for (const entry of await requests()) expect(all).toContain(JSON.stringify(entry))
      }),
      { numRuns: 100 },
    )
  })

  it('continues at the next frame after garbage, and counts the bytes', async () => {
    const whole = await logOf(3)
    const path = await logPath()
    await writeFile(path, Buffer.concat([Buffer.from('garbage'), whole]))
    expect(await requests()).toHaveLength(3)
    const [file] = await requestLogFiles(directory)
    await allBatches(file)
    expect(file?.damagedBytes).toBe(7)
  })

  it('accepts concatenated files, and ignores lines that are not entries', async () => {
    await logOf(2)
    const path = await logPath()
    const more =
      '{"type":"request","start":"x","url":"http://a.test/"}\n[]\nnull\n{"type":"flush","at":1,"wall":1}\n'
    await appendFile(path, zstdCompressSync(more))
    expect(await requests()).toHaveLength(2)
    await truncate(path, 0)
    expect(await requests()).toEqual([])
  })
})
