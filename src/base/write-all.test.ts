import { expect, it } from 'vitest'
import { writeAll } from './write-all.ts'

/** Takes at most `atOnce` bytes per call, and `room` bytes in all. */
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

it.each([1, 2, 3, 4, 5, 8, 9, 100])('writes every byte once when %i are taken at a time', async (atOnce) => {
  const disk = new SmallDisk(atOnce)
  await writeAll(disk, PIECES)
  expect(disk.written).toEqual(ALL)
  expect(disk.calls).toBe(Math.ceil(ALL.length / atOnce))
})

it('fails when the disk is full half way', async () => {
  const disk = new SmallDisk(4, 6)
  await expect(writeAll(disk, PIECES)).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(disk.written).toEqual([1, 2, 3, 4, 5, 6])
})

it('fails rather than loop when nothing is taken', async () => {
  await expect(writeAll({ writev: async () => ({ bytesWritten: 0 }) }, PIECES)).rejects.toMatchObject({
    code: 'ENOSPC',
  })
})

it('writes nothing for nothing', async () => {
  const disk = new SmallDisk(1)
  await writeAll(disk, [Uint8Array.of()])
  expect(disk.calls).toBe(0)
})
