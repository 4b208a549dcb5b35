import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Run, runShell } from './run-orbweaver.ts'

const BIN = join(import.meta.dirname, '../bin/orbweaver.js')
let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'orbweaver-home-'))
})
afterEach(() => rmSync(home, { recursive: true }))

function version(caches = home): Promise<Run> {
  return runShell(`XDG_CACHE_HOME='${caches}' '${process.execPath}' '${BIN}' --version`, home)
}

function codeFiles(): string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.code/.test(name))
    .map((name) => join(home, name))
}

function expectVersion({ exitCode, stdout, stderr }: Run): void {
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toMatch(/^\d+\.\d+\.\d+/)
}

it('runs after its code cache was damaged, and repairs it', async () => {
  expectVersion(await version())
  const [file = ''] = codeFiles()
  const good = readFileSync(file)
  writeFileSync(file, good.subarray(0, good.length / 2).fill(0x5a, 100))
  expectVersion(await version())
  expect(readFileSync(file).length).toBeGreaterThan(good.length * 0.9)
})

it('runs without a code cache if its folder cannot be written, or belongs to others', async () => {
  writeFileSync(join(home, 'file'), '')
  expectVersion(await version(join(home, 'file')))
  expectVersion(await version())
  const [file = ''] = codeFiles()
  rmSync(file)
  chmodSync(join(file, '..'), 0o777)
  expectVersion(await version())
  expect(codeFiles()).toEqual([])
})

it('leaves one complete file when several processes write it', async () => {
  for (const run of await Promise.all(Array.from({ length: 6 }, () => version()))) expectVersion(run)
  expect(codeFiles()).toHaveLength(1)
  expectVersion(await version())
})
