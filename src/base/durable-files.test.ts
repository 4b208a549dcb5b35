import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DiskFailure, failingDisk } from '../../testing/failing-disk.ts'
import { diskFiles, replaceFile } from './durable-files.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durable-'))
  file = join(folder, 'state.json')
})
afterEach(() => rm(folder, { recursive: true }))

describe('replaceFile', () => {
  it('writes all pieces, text and bytes, with the given mode', async () => {
    await replaceFile(file, ['ä', new Uint8Array([98]), 'c'.repeat(3_000_000), 'd'], { mode: 0o600 })
    expect(await readFile(file, 'utf8')).toBe(`äb${'c'.repeat(3_000_000)}d`)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['state.json'])
  })

  it.each<DiskFailure>(['short write', 'write', 'sync', 'rename'])(
    'keeps the old file and leaves nothing else after a failed %s',
    async (failure) => {
      await writeFile(file, 'old')
      await expect(replaceFile(file, ['new'], { disk: failingDisk(failure) })).rejects.toThrow(/ENOSPC|EIO/)
      expect(await readFile(file, 'utf8')).toBe('old')
      expect(await readdir(folder)).toEqual(['state.json'])
    },
  )

  it('is rejected when the name is not known to be on the disk', async () => {
    await expect(replaceFile(file, ['new'], { disk: failingDisk('sync', 2) })).rejects.toThrow('EIO')
  })

  it('syncs the file before it gets its name, and the folder after', async () => {
    const steps: string[] = []
    const disk = {
      ...diskFiles,
      sync: async (path: string) => void steps.push(`sync ${path.slice(folder.length)}`),
      rename: async () => void steps.push('rename'),
    }
    await replaceFile(file, ['new'], { disk })
    expect(steps).toEqual(['sync /state.json.tmp', 'rename', 'sync '])
  })

  it('does not follow a symbolic link in the place of the temporary file or the file', async () => {
    const victim = join(folder, 'victim')
    await writeFile(victim, 'mine')
    await symlink(victim, `${file}.tmp`)
    await symlink(victim, file)
    await replaceFile(file, ['new'])
    expect(await readFile(victim, 'utf8')).toBe('mine')
    expect(await readFile(file, 'utf8')).toBe('new')
  })
})
