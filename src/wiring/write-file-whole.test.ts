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

it('writes text and bytes in order, and hands on what the work returns', async () => {
  const result = await writeFileWhole(file, async (write) => {
    await write('a'.repeat(200_000))
    await write(new Uint8Array([98, 10]))
    return 7
  })
  expect(result).toBe(7)
  expect(readFileSync(file, 'utf8')).toBe(`${'a'.repeat(200_000)}b\n`)
  expect(readdirSync(folder)).toEqual(['pages.jsonl'])
})

it('leaves what was there when the work fails', async () => {
  writeFileSync(file, 'good')
  const work = writeFileWhole(file, async (write) => {
    await write('half of it')
    throw new Error('broken')
  })
  await expect(work).rejects.toThrow('broken')
  expect(readFileSync(file, 'utf8')).toBe('good')
  expect(readdirSync(folder)).toEqual(['pages.jsonl'])
})

it('is rejected when the file cannot be made', async () => {
  await expect(writeFileWhole(join(file, 'x'), (write) => write('a'))).rejects.toThrow('ENOENT')
  await expect(writeFileWhole(folder, (write) => write('a'))).rejects.toThrow('EISDIR')
})

it('replaces a symbolic link and does not write to where it points, nor to a file of a similar name', async () => {
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'mine')
  symlinkSync(victim, file)
  symlinkSync(victim, `${file}.tmp`)
  await writeFileWhole(file, (write) => write('new'))
  expect(readFileSync(file, 'utf8')).toBe('new')
  expect(readFileSync(victim, 'utf8')).toBe('mine')
  expect(readdirSync(folder).sort()).toEqual(['pages.jsonl', 'pages.jsonl.tmp', 'victim'])
})
