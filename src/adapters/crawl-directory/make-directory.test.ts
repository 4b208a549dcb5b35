import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeDirectory } from './make-directory.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-make-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

it('creates a directory and those above it, once or twice', async () => {
  const path = join(folder, 'a/b/c')
  await makeDirectory(path)
  await makeDirectory(path)
  expect(existsSync(path)).toBe(true)
})

it('gives the reason of the system when it cannot', async () => {
  writeFileSync(join(folder, 'file'), '')
  await expect(makeDirectory(join(folder, 'file/a'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})
