import { mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DiskFailure, failingDisk } from '../../testing/failing-disk.ts'
import { diskFiles, replaceFile, writeAll, writeByName } from './durable-files.ts'

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

  it('rejects if the folder could not be synced', async () => {
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

  it('does not follow symbolic links with the name of the file or the temporary file', async () => {
    const victim = join(folder, 'victim')
    await writeFile(victim, 'mine')
    await symlink(victim, `${file}.tmp`)
    await symlink(victim, file)
    await replaceFile(file, ['new'])
    expect(await readFile(victim, 'utf8')).toBe('mine')
    expect(await readFile(file, 'utf8')).toBe('new')
  })
})

describe('writeByName', () => {
  it('replaces a file or a symbolic link, not the target of the link', async () => {
    const victim = join(folder, 'victim')
    await writeFile(victim, 'mine')
    await symlink(victim, file)
    expect(await writeByName(file, (path) => writeFile(path, 'new').then(() => 7))).toBe(7)
    expect(await readFile(file, 'utf8')).toBe('new')
    expect(await readFile(victim, 'utf8')).toBe('mine')
    expect((await readdir(folder)).sort()).toEqual(['state.json', 'victim'])
  })

  it.each<DiskFailure>(['sync', 'rename'])('keeps the old file after a failed %s', async (failure) => {
    await writeFile(file, 'old')
    const work = writeByName(file, (path) => writeFile(path, 'new'), failingDisk(failure))
    await expect(work).rejects.toThrow('EIO')
    expect(await readFile(file, 'utf8')).toBe('old')
    expect(await readdir(folder)).toEqual(['state.json'])
  })

  it('writes directly to a file that is not regular', async () => {
    expect(await writeByName('/dev/null', async (path) => path)).toBe('/dev/null')
  })

  it.skipIf(process.platform === 'win32')('writes directly to a descriptor of a regular file', async () => {
    const output = await open(file, 'w')
    const name = `/dev/fd/${output.fd}`
    expect(await writeByName(name, async (path) => path)).toBe(name)
    await output.close()
  })
})

describe('writeAll', () => {
  /** Writes at most `atOnce` bytes per call, and `room` bytes in total. */
  class SmallDisk {
    readonly written: number[] = []
    calls = 0
    readonly #atOnce: number
    readonly #room: number

    constructor(atOnce: number, room = Number.POSITIVE_INFINITY) {
      this.#atOnce = atOnce
      this.#room = room
    }

    async writev(pieces: Uint8Array[]): Promise<{ bytesWritten: number }> {
      this.calls++
      const room = Math.min(this.#atOnce, this.#room - this.written.length)
      if (room === 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      const taken = pieces.flatMap((piece) => [...piece]).slice(0, room)
      this.written.push(...taken)
      return { bytesWritten: taken.length }
    }
  }

  const PIECES = [
    Uint8Array.of(1, 2, 3),
    Uint8Array.of(),
    Uint8Array.of(4),
    Uint8Array.of(5, 6, 7, 8),
    Uint8Array.of(9),
  ]
  const ALL = [1, 2, 3, 4, 5, 6, 7, 8, 9]

  it.each([1, 2, 3, 4, 5, 8, 9, 100])(
    'writes every byte once when %i are written per call',
    async (atOnce) => {
      const disk = new SmallDisk(atOnce)
      await writeAll(disk, PIECES)
      expect(disk.written).toEqual(ALL)
      expect(disk.calls).toBe(Math.ceil(ALL.length / atOnce))
    },
  )

  it('fails when the disk becomes full', async () => {
    const disk = new SmallDisk(4, 6)
    await expect(writeAll(disk, PIECES)).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(disk.written).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('fails when no byte is written', async () => {
    await expect(writeAll({ writev: async () => ({ bytesWritten: 0 }) }, PIECES)).rejects.toMatchObject({
      code: 'ENOSPC',
    })
  })

  it('does not write empty pieces', async () => {
    const disk = new SmallDisk(1)
    await writeAll(disk, [Uint8Array.of()])
    expect(disk.calls).toBe(0)
  })
})
