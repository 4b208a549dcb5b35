import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { HostStateFile } from './host-state-file.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hosts-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('knows nothing at first', async () => {
  expect(await new HostStateFile(folder).load()).toBeUndefined()
})

it('gives back what was saved last', async () => {
  const state = { key: 'a.test', readyAt: 2, failures: 1, crawlDelayMs: 3, latencyMs: 4 }
  await new HostStateFile(folder).save({ states: [], savedAt: 0, ended: false })
  await new HostStateFile(folder).save({ states: [state], savedAt: 1, ended: true })
  expect(await new HostStateFile(folder).load()).toEqual({ states: [state], savedAt: 1, ended: true })
})

it('gives back thousands of hosts, in their order', async () => {
  const state = { readyAt: 2, failures: 1, crawlDelayMs: 3, latencyMs: 4 }
  const states = Array.from({ length: 10_001 }, (_, n) => ({ ...state, key: `host-${n}.test` }))
  await new HostStateFile(folder).save({ states, savedAt: 1, ended: true })
  expect(await new HostStateFile(folder).load()).toEqual({ states, savedAt: 1, ended: true })
})

it('takes a damaged file for that of a process that was killed', async () => {
  writeFileSync(join(folder, 'hosts.json'), '{"states":[')
  expect(await new HostStateFile(folder).load()).toMatchObject({ ended: false })
})
