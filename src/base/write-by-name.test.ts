import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type DiskFailure, failingDisk } from '../../testing/failing-disk.ts'
import { writeByName } from './write-by-name.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'by-name-'))
  file = join(folder, 'pages.parquet')
})
afterEach(() => rm(folder, { recursive: true }))

it('replaces a file, or a link by that name, and not what the link points to', async () => {
  const victim = join(folder, 'victim')
  await writeFile(victim, 'mine')
  await symlink(victim, file)
  expect(await writeByName(file, (path) => writeFile(path, 'new').then(() => 7))).toBe(7)
  expect(await readFile(file, 'utf8')).toBe('new')
  expect(await readFile(victim, 'utf8')).toBe('mine')
  expect((await readdir(folder)).sort()).toEqual(['pages.parquet', 'victim'])
})

it.each<DiskFailure>(['sync', 'rename'])('keeps the old file after a failed %s', async (failure) => {
  await writeFile(file, 'old')
  const work = writeByName(file, (path) => writeFile(path, 'new'), failingDisk(failure))
  await expect(work).rejects.toThrow('EIO')
  expect(await readFile(file, 'utf8')).toBe('old')
  expect(await readdir(folder)).toEqual(['pages.parquet'])
})

it('writes directly to what is not a regular file', async () => {
  expect(await writeByName('/dev/null', async (path) => path)).toBe('/dev/null')
})
