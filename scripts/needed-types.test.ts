import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { neededTypes } from './needed-types.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-types-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

const needed = (...doors: string[]) =>
  [...neededTypes(doors.map((door) => join(folder, door)))].map((file) => relative(folder, file)).sort()

it('follows all forms of imports, also in circles', () => {
  write({
    'index.d.ts': `export * from './a.ts';\nimport type { B } from './b/b.ts';\nexport { C } from "./b/c.js";`,
    'a.d.ts': `export type A = import('./b/d.ts').D;\nimport './index.ts';`,
    'b/b.d.ts': `import { z } from 'zod';\nexport type B = 1;`,
    'b/c.d.ts': `export { E as C } from '../e.ts';`,
    'b/d.d.ts': '',
    'e.d.ts': '',
    'unused.d.ts': `export * from './a.ts';`,
  })
  expect(needed('index.d.ts')).toEqual(['a.d.ts', 'b/b.d.ts', 'b/c.d.ts', 'b/d.d.ts', 'e.d.ts', 'index.d.ts'])
})

it('fails if an imported file is missing', () => {
  write({ 'index.d.ts': `export * from './missing.ts'` })
  expect(() => needed('index.d.ts')).toThrow('missing.d.ts')
})
