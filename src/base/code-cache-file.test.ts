import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type CodeCache, readCodeCache, writeCodeCache } from './code-cache-file.ts'

let folder: string
let path: string
const CACHE: CodeCache = {
  runs: 2,
  files: new Map([
    ['cli/main.cjs', { sourceCrc: 0xffff_ffff, code: Buffer.from('compiled') }],
    ['chunks/crawl.cjs', { sourceCrc: 0, code: Buffer.from('more of it') }],
  ]),
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-code-cache-'))
  path = join(folder, 'crawl.code')
})
afterEach(() => rmSync(folder, { recursive: true }))

it('reads what it wrote', () => {
  writeCodeCache(path, CACHE)
  expect(readCodeCache(path)).toEqual(CACHE)
  expect(readdirSync(folder)).toEqual(['crawl.code'])
})

it('aligns code, so that V8 reads it in place', () => {
  writeCodeCache(path, CACHE)
  const offsets = [...(readCodeCache(path)?.files.values() ?? [])].map(({ code }) => code.byteOffset % 8)
  expect(offsets).toEqual([0, 0])
})

it('ignores a cache with one changed byte', () => {
  writeCodeCache(path, CACHE)
  const good = readFileSync(path)
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (position, difference) => {
      const bad = Buffer.from(good)
      bad[position] = (good[position] ?? 0) ^ difference
      writeFileSync(path, bad)
      expect(readCodeCache(path)).toBeUndefined()
    }),
  )
})

it('ignores a truncated cache, and a missing one', () => {
  writeCodeCache(path, CACHE)
  truncateSync(path, 30)
  expect(readCodeCache(path)).toBeUndefined()
  truncateSync(path, 0)
  expect(readCodeCache(path)).toBeUndefined()
  expect(readCodeCache(join(folder, 'none.code'))).toBeUndefined()
})

it.skipIf(process.platform === 'win32')('ignores a cache that other users can change', () => {
  writeCodeCache(path, CACHE)
  chmodSync(path, 0o620)
  expect(readCodeCache(path)).toBeUndefined()
})

it('writes nothing if the folder is missing', () => {
  writeCodeCache(join(folder, 'none/crawl.code'), CACHE)
  expect(readdirSync(folder)).toEqual([])
})
