import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { layerProblems } from './layer-problems.ts'

const TABLE = { low: [], high: ['low'], adapters: ['low'], 'adapters/upper': ['low', 'adapters/lower'] }
let src: string

beforeEach(() => {
  src = mkdtempSync(join(tmpdir(), 'layers-'))
})
afterEach(() => rmSync(src, { recursive: true }))

function problemsOf(files: Readonly<Record<string, string>>): string[] {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(src, name)), { recursive: true })
    writeFileSync(join(src, name), text)
  }
  return layerProblems(src, TABLE).problems
}

it('lets imports go down and stay in their folder', () => {
  expect(
    problemsOf({
      'low/a.ts': "import { b } from './b.ts'",
      'low/b.ts': "import { join } from 'node:path'",
      'high/c.ts': "export { a } from '../low/a.ts'",
    }),
  ).toEqual([])
})

it.each([
  ["import type { C } from '../high/c.ts'", 'a type'],
  ["import '../high/c.ts'", 'a side effect'],
  ["const c = await import('../high/c.ts')", 'a late import'],
  ["export * from '../high/c.ts'", 'an export'],
  ["import {\n  c,\n} from '../high/c.ts'", 'several lines'],
])('reports an import that goes up: %s', (text) => {
  expect(problemsOf({ 'low/a.ts': text, 'high/c.ts': '' })).toEqual([
    'src/low/a.ts imports src/high/c.ts: low/ may not use high/',
  ])
})

it('reports a cycle inside one folder, types included', () => {
  expect(
    problemsOf({ 'low/a.ts': "import type { B } from './b.ts'", 'low/b.ts': "import { a } from './a.ts'" }),
  ).toEqual([
    expect.stringMatching(
      /^import cycle: .*low\/a\.ts -> low\/b\.ts -> low\/a\.ts|low\/b\.ts -> low\/a\.ts -> low\/b\.ts/,
    ),
  ])
})

it('reports a folder that is not in the table, and an import out of src', () => {
  expect(problemsOf({ 'new/b.ts': '', 'low/a.ts': "import { x } from '../../testing/x.ts'" }).sort()).toEqual(
    [expect.stringContaining('outside src/'), 'src/new/b.ts: add the folder new/ to scripts/layers.ts'],
  )
})

it('ignores tests', () => {
  expect(problemsOf({ 'low/a.test.ts': "import { c } from '../high/c.ts'", 'high/c.ts': '' })).toEqual([])
})

it('keeps the folders of a layer apart unless one is allowed by name', () => {
  expect(
    problemsOf({
      'adapters/lower/a.ts': "import '../upper/b.ts'",
      'adapters/upper/b.ts': "import '../../low/c.ts'",
      'adapters/upper/d.ts': "import '../lower/a.ts'",
      'low/c.ts': '',
      'high/e.ts': "import '../adapters/upper/b.ts'",
    }).sort(),
  ).toEqual([
    'src/adapters/lower/a.ts imports src/adapters/upper/b.ts: adapters/lower/ may not use adapters/upper/',
    'src/high/e.ts imports src/adapters/upper/b.ts: high/ may not use adapters/upper/',
  ])
})

it('reports files that share a name, and names that two files export', () => {
  expect(
    problemsOf({
      'low/a.ts': 'export function twice() {}\nexport function twice(x: string) {}',
      'high/a.ts': 'export interface Once {}',
      'high/b.ts': 'export const twice = 1',
    }).map((problem) => problem.split(':')[0]),
  ).toEqual(expect.arrayContaining(['a.ts is used twice', 'twice is used twice']))
})

it('allows overloads', () => {
  expect(problemsOf({ 'low/a.ts': 'export function f(): void\nexport function f(x?: string) {}' })).toEqual(
    [],
  )
})
