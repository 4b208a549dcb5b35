import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls } from '../../testing/command-line.ts'
import { impoliteLog, writeRequestLog } from '../../testing/write-request-log.ts'
import type { Certificate } from '../domain/certificate/certificate.ts'

let demo: DemoCrawls
let dir: string
let impolite: string
beforeAll(async () => {
  demo = await DemoCrawls.start()
  dir = await demo.crawl('crawl')
  impolite = demo.path('impolite')
  writeRequestLog(impolite, impoliteLog('a.test', '\u001b[31m\u202e<b>'))
})
afterAll(() => demo.close())

describe('certify', () => {
  it('prints a summary of each host, and ends with 0 without violations', async () => {
    const { exitCode, stdout } = await command(['certify', dir])
    expect(stdout).toMatch(/^No violations in \d+ requests to .* between .* UTC\.\n/)
    expect(stdout).toMatch(
      /^ {2}delay: 0 ms \(configured\); smallest .* from the end of a response to the next request$/m,
    )
    expect(stdout).toMatch(/^ {2}robots.txt: .*; [1-9]\d* disallowed URLs? not requested$/m)
    expect(exitCode).toBe(0)
  })

  it('writes JSON, or HTML by the name of the file', async () => {
    const document = await commandJson<Certificate>(['certify', dir])
    expect(document).toMatchObject({ type: 'orbweaver-politeness-certificate', version: 1, violations: 0 })
    const out = demo.path('certificate.html')
    const { exitCode, stdout, stderr } = await command(['certify', dir, '--out', out])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    expect(stderr).toBe(`${document.summary} Written to ${out}.\n`)
    const html = readFileSync(out, 'utf8')
    expect(html).toContain(`<p class="verdict">${document.summary}</p>`)
    expect((await command(['certify', dir, '--format', 'html'])).stdout).toMatch(/^<!doctype html>/)
  })

  it('ends with 3 if there are violations, and shows them without control characters', async () => {
    const { exitCode, stdout } = await command(['certify', impolite])
    expect(exitCode).toBe(3)
    expect(stdout).toMatch(/^2 violations in 3 requests to a\.test/)
    expect(stdout).toContain(
      '2 violations:\n    2026-11-16T12:00:00.700Z requested 0.2 s after the last response; the configured delay is 1 s',
    )
    expect(stdout).not.toContain('\u001b')
    expect(stdout).not.toContain('\u202e')
  })

  it('selects a host and a time; a date includes the whole day', async () => {
    const select = (...flags: string[]) => commandJson<Certificate>(['certify', impolite, ...flags])
    expect(await select('--host', 'A.test')).toMatchObject({ requests: 3 })
    expect(await select('--from', '2026-11-16', '--to', '2026-11-16')).toMatchObject({ requests: 3 })
    expect(await select('--to', '2026-11-16T12:00:02')).toMatchObject({ requests: 2, violations: 1 })
    expect(await select('--from', '2026-11-16T13:00:02+01:00')).toMatchObject({ requests: 1, violations: 1 })
  })

  it('ends with 1 if no request is recorded, and says why', async () => {
    const { exitCode, stdout } = await command(['certify', impolite, '--host', 'b.test'])
    expect(exitCode).toBe(1)
    expect(stdout).toContain('no request matches; try without --host')
    expect(await command(['certify', demo.folder])).toMatchObject({ exitCode: 1 })
  })

  it.each([
    [['--from', 'yesterday'], 'like 2026-11-16 or 2026-11-16T08:30'],
    [['--to', '2026-13-40'], 'like 2026-11-16 or 2026-11-16T08:30'],
    [['--format', 'pdf'], 'Allowed choices are text, html, json'],
  ])('rejects %j', async (flags, message) => {
    const { exitCode, stderr } = await command(['certify', impolite, ...flags])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
  })

  it('rejects a directory that does not exist', async () => {
    const { exitCode, stderr } = await command(['certify', demo.path('missing')])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('there is no directory')
  })
})
