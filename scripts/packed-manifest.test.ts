import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

it('leaves out what users do not need, and restores it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-manifest-'))
  const manifest = join(folder, 'package.json')
  const script = join(folder, 'scripts/packed-manifest.js')
  mkdirSync(join(folder, 'scripts'))
  cpSync(join(ROOT, 'package.json'), manifest)
  cpSync(join(ROOT, 'scripts/packed-manifest.js'), script)
  const original = readFileSync(manifest, 'utf8')
  const run = (...args: string[]) => spawnSync(process.execPath, [script, ...args]).status
  // Twice: npm may run it for each archive that it makes.
  for (let i = 0; i < 2; i++) expect(run()).toBe(0)
  const { scripts, devDependencies, allowScripts, ...rest } = JSON.parse(original)
  expect({ scripts, devDependencies, allowScripts }).not.toContain(undefined)
  expect(JSON.parse(readFileSync(manifest, 'utf8'))).toEqual(rest)
  expect(run('--restore')).toBe(0)
  expect(readFileSync(manifest, 'utf8')).toBe(original)
  expect(readdirSync(folder).sort()).toEqual(['package.json', 'scripts'])
  rmSync(folder, { recursive: true })
})
