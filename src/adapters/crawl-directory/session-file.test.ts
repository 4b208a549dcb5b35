import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sessionStoreContract } from '../../../testing/session-store-contract.ts'
import { SessionFile } from './session-file.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-session-file-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

sessionStoreContract('SessionFile', async () => ({
  store: new SessionFile(dir),
  reopen: async () => new SessionFile(dir),
}))

it.each(['', '{', '7', '[7, {"id": "a"}, {"id": "../x"}]'])('takes %j in its file for none', async (text) => {
  writeFileSync(join(dir, 'sessions.json'), text)
  expect(await new SessionFile(dir).take({ id: 'a', max: 1 })).toBe('unknown')
})
