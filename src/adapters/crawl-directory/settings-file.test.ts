import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  readStoredSettings,
  type StoredSettings,
  settingsFile,
  writeStoredSettings,
} from './settings-file.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-settings-'))
})

afterEach(() => rmSync(dir, { recursive: true }))

const STORED: StoredSettings = {
  command: 'crawl',
  flags: [['--scope', 'domain'], ['--cookies']],
  settings: { filters: { scope: 'domain' } },
  limits: [['--max-pages', '500']],
  counted: { pages: 200, items: 0 },
  notStored: ['--proxy'],
}

it('returns what was written, and leaves no other file', async () => {
  expect(await readStoredSettings(dir)).toBeUndefined()
  await writeStoredSettings(dir, STORED)
  await writeStoredSettings(dir, STORED)
  expect(await readStoredSettings(dir)).toEqual(STORED)
  expect(readdirSync(dir)).toEqual(['settings.json'])
})

it.each([
  ['cut short', '{"version":1,"com', /is damaged: it is not a JSON object/],
  ['empty', '', /is damaged/],
  ['of another kind', '[]', /is damaged/],
  ['without flags', '{"version":1,"command":"crawl"}', /is damaged: flags: /],
  ['newer', '{"version":2,"flags":{}}', /newer version of Orbweaver \(format 2; this one reads 1\): update/],
])('says what to do about a file that is %s', async (_, text, message) => {
  writeFileSync(settingsFile(dir), text)
  await expect(readStoredSettings(dir)).rejects.toMatchObject({
    ...{ code: 'STATE_FILE_INVALID', message: expect.stringMatching(message) },
  })
  await expect(readStoredSettings(dir)).rejects.toThrow(/delete the file/)
})
