import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { readFleetNotes, writeFleetNotes } from './fleet-file.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-fleet-file-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

it('tells workers what they must know, under a name that stays', async () => {
  expect(await readFleetNotes(dir)).toBeUndefined()
  const host = { key: 'a.test', readyAt: 5, endedAt: 4, failures: 1, crawlDelayMs: 0, latencyMs: 2 }
  const parked = { ...host, key: 'b.test', parked: { until: 9, reason: 'too-many-failures' } }
  const first = await writeFleetNotes(dir, { seeds: ['http://a.test/'], hosts: [host, parked] })
  expect(await readFleetNotes(dir)).toEqual(first)
  const second = await writeFleetNotes(dir, { seeds: [], hosts: [] })
  expect(second).toEqual({ id: first.id, seeds: [], hosts: [] })
})

it.each(['{', '{"id":"../x","seeds":[],"hosts":[]}'])('refuses %s', async (text) => {
  writeFileSync(join(dir, 'fleet.json'), text)
  await expect(readFleetNotes(dir)).rejects.toThrow(ConfigurationError)
  await expect(writeFleetNotes(dir, { seeds: [], hosts: [] })).rejects.toThrow(/remove it/)
})
