import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeFileWhole } from './write-file-whole.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-'))
  file = join(folder, 'pages.jsonl')
})

afterEach(() => rmSync(folder, { recursive: true }))

it('writes text and bytes in order, and returns the result of the work', async () => {
  const result = await writeFileWhole(file, async (write) => {
    await write('a'.repeat(200_000))
    await write(new Uint8Array([98, 10]))
    return 7
  })
  expect(result).toBe(7)
  expect(readFileSync(file, 'utf8')).toBe(`${'a'.repeat(200_000)}b\n`)
  expect(readdirSync(folder)).toEqual(['pages.jsonl'])
})

it('keeps the old file if the work fails', async () => {
  writeFileSync(file, 'good')
  const work = writeFileWhole(file, async (write) => {
    await write('half of it')
    throw new Error('broken')
  })
  await expect(work).rejects.toThrow('broken')
  expect(readFileSync(file, 'utf8')).toBe('good')
  expect(readdirSync(folder)).toEqual(['pages.jsonl'])
})

it('rejects if the file cannot be created', async () => {
  await expect(writeFileWhole(join(file, 'x'), (write) => write('a'))).rejects.toThrow('ENOENT')
  await expect(writeFileWhole(folder, (write) => write('a'))).rejects.toThrow('EISDIR')
})

it('replaces a symbolic link, and writes neither to its target nor to a file with a similar name', async () => {
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'mine')
  symlinkSync(victim, file)
  symlinkSync(victim, `${file}.tmp`)
  await writeFileWhole(file, (write) => write('new'))
  expect(readFileSync(file, 'utf8')).toBe('new')
  expect(readFileSync(victim, 'utf8')).toBe('mine')
  expect(readdirSync(folder).sort()).toEqual(['pages.jsonl', 'pages.jsonl.tmp', 'victim'])
})
