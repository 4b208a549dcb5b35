import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

/** Writes the log of a process with these lines, for tests of what a crawler never does. */
export function writeRequestLog(
  directory: string,
  lines: readonly object[],
  name = '20261116T120000.000Z-1-abcdef',
): void {
  const folder = join(directory, 'requests')
  mkdirSync(folder, { recursive: true })
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  writeFileSync(join(folder, `${name}.jsonl.zst`), zstdCompressSync(text))
}

const START = Date.parse('2026-11-16T12:00:00Z')

/** A log of three requests to a host: one after 0.2 s instead of 1 s, one that robots.txt disallows. All its texts are `hostile`. */
export function impoliteLog(host: string, hostile: string): object[] {
  const request = { type: 'request', host, status: 200, limits: 1, robots: 2, delayMs: 1_000 }
  return [
    {
      ...{
        type: 'process',
        format: 1,
        software: 'orbweaver/1',
        pid: 1,
        startedAt: START,
        denyOnForbidden: false,
      },
      ...{ userAgent: `bot ${hostile}`, agent: 'bot', contactUrl: hostile },
    },
    { type: 'limits', id: 1, startGapMs: 0, endGapMs: 1_000, maxInFlight: 1 },
    {
      ...{
        type: 'robots',
        id: 2,
        origin: `http://${hostile}`,
        host,
        state: 'file',
        checkedAt: START,
        reason: hostile,
      },
      ...{ hash: `${hostile}1`, text: `User-agent: *\nDisallow: /private # ${hostile}` },
    },
    { ...request, start: START, end: START + 500, url: `http://a.test/1?${hostile}` },
    { ...request, start: START + 700, end: START + 800, url: `http://a.test/2?${hostile}` },
    {
      ...request,
      start: START + 3_000,
      end: START + 3_100,
      url: `http://a.test/private/${hostile}`,
      failure: hostile,
    },
    { type: 'flush', at: START + 4_000, wall: START + 4_000, closed: true },
  ]
}
