import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeDirectory, spillFolder } from './directories.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-make-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

it('creates a directory and its parents, also when they exist', async () => {
  const path = join(folder, 'a/b/c')
  await makeDirectory(path)
  await makeDirectory(path)
  expect(existsSync(path)).toBe(true)
})

it('throws the system error when it fails', async () => {
  writeFileSync(join(folder, 'file'), '')
  await expect(makeDirectory(join(folder, 'file/a'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})

it('names a separate temporary folder for each database', () => {
  expect(spillFolder('crawl')).toMatch(
    new RegExp(`^crawl/\\.segments-tmp-${process.pid}-\\d+@${hostname()}$`),
  )
  expect(spillFolder('crawl')).not.toBe(spillFolder('crawl'))
})
