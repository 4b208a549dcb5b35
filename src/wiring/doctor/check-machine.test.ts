import { expect, it } from 'vitest'
import { checkMachine, type MachineFacts, thisMachine } from './check-machine.ts'
import type { Finding } from './finding.ts'

const SOUND: MachineFacts = {
  node: '24.1.0',
  openFiles: 1_048_576,
  now: Date.UTC(2026, 10, 16),
  freeSpace: async () => ({ freeBytes: 50e9, totalBytes: 100e9, freeFiles: 1_000_000 }),
  isWritable: async () => true,
}

function check(facts: Partial<MachineFacts>): Promise<Finding[]> {
  const politeness = { threads: 50 } as Parameters<typeof checkMachine>[1]['politeness']
  return checkMachine({ ...SOUND, ...facts }, { politeness }, '/crawls/new')
}

it('finds no problem on a sound machine', async () => {
  const findings = await check({})
  expect(findings.map(({ check: name, state }) => `${name} ${state}`)).toEqual([
    'Node.js ok',
    'open files ok',
    'clock ok',
    'disk ok',
  ])
})

it.each<[string, Partial<MachineFacts>, Finding['state'], RegExp]>([
  ['an old Node.js', { node: '22.18.0' }, 'problem', /^22\.18\.0 is too old$/],
  [
    'a low limit of open files',
    { openFiles: 256 },
    'warning',
    /^the limit is 256; 50 threads need about 356$/,
  ],
  ['a clock in the past', { now: 0 }, 'problem', /1970-01-01/],
  [
    'a disk that is almost full',
    { freeSpace: async () => ({ freeBytes: 5e8, totalBytes: 100e9, freeFiles: undefined }) },
    'warning',
    /^500\.0 MB of 100\.0 GB free at \/crawls\/new$/,
  ],
  [
    'a full disk',
    { freeSpace: async () => ({ freeBytes: 0, totalBytes: 100e9, freeFiles: undefined }) },
    'problem',
    /^0 bytes of 100\.0 GB free/,
  ],
  [
    'a file system without room for more files',
    { freeSpace: async () => ({ freeBytes: 50e9, totalBytes: 100e9, freeFiles: 3 }) },
    'warning',
    /3 more files possible$/,
  ],
  ['a directory that is not writable', { isWritable: async () => false }, 'problem', /is not writable$/],
])('reports %s, and what to do', async (_, facts, state, message) => {
  const [found, ...more] = (await check(facts)).filter((finding) => finding.state !== 'ok')
  expect(found).toMatchObject({ state, message: expect.stringMatching(message) })
  expect(found?.remedy).toMatch(/^[A-Z].*\.$/)
  expect(more).toEqual([])
})

it('checks the nearest directory that exists', async () => {
  const missing = Object.assign(new Error(), { code: 'ENOENT' })
  const findings = await check({
    freeSpace: async (path) => {
      if (path !== '/') throw missing
      return { freeBytes: 50e9, totalBytes: 100e9, freeFiles: undefined }
    },
  })
  expect(findings.at(-1)?.message).toMatch(/ free at \/$/)
})

it('reads the facts of this machine', async () => {
  const { freeSpace, isWritable, openFiles = 0 } = thisMachine(0)
  expect((await freeSpace('.')).totalBytes).toBeGreaterThan(0)
  expect(await isWritable('.')).toBe(true)
  if (process.platform === 'linux') expect(openFiles).toBeGreaterThan(0)
})
