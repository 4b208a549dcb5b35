import { readdirSync, readFileSync } from 'node:fs'
import luaparse from 'luaparse'
import { describe, expect, it } from 'vitest'
import { KEYS } from './keys.ts'
import { readScript, SCRIPTS } from './redis-scripts.ts'

const FOLDER = new URL('./scripts/', import.meta.url)
const names = luaFiles('')
const shared = luaFiles('shared/')

it('loads every script file', () => {
  expect(
    Object.values(SCRIPTS)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names)
})

it('has the same key names in keys.lua as in keys.ts', () => {
  const pairs = [...textOf('shared/keys').matchAll(/^ {2}(\w+) = KEYS\[1\] \.\. ':([^']+)',$/gm)]
  expect(pairs.map(([, name, key]) => [name, key])).toEqual(
    Object.entries(KEYS).map(([name, [key]]) => [name, key]),
  )
})

describe.each([...names, ...shared])('%s.lua', (file) => {
  const source = readScript(file)
  const { globals, used, table } = inspect(source)

  it('starts with its name and says what it returns', () => {
    const text = textOf(file)
    expect(text).toMatch(new RegExp(`^-- ${file.replace('shared/', '')}\\.lua: `))
    if (!file.startsWith('shared/')) expect(text).toMatch(/^-- Returns /m)
  })

  it('uses no globals but those of Redis and Lua', () => {
    expect([...globals].filter((name) => !ALLOWED.has(name))).toEqual([])
  })

  it('uses only keys of keys.lua', () => {
    expect([...table].filter((name) => !(name in KEYS))).toEqual([])
  })

  // A shared file relies on the header of the script that includes it.
  if (file.startsWith('shared/')) return
  it('uses KEYS and ARGV as its header declares them', () => {
    const declared = [...source.matchAll(/^-- (KEYS|ARGV)\[(\d+)(…?)\] \w/gm)]
    for (const of of ['KEYS', 'ARGV'] as const) {
      const own = declared.filter(([, name]) => name === of)
      const fixed = own.flatMap(([, , n, more]) => (more === '' ? [Number(n)] : []))
      const variadic = own.find(([, , , more]) => more !== '')?.[2]
      // Numbered without gaps, the rest last.
      const sorted = fixed.toSorted((a, b) => a - b)
      expect(sorted).toEqual(sorted.map((_, i) => i + 1))
      if (variadic !== undefined) expect(Number(variadic)).toBe(fixed.length + 1)
      const indexes = used[of]
      const undeclared = [...indexes].filter((n) =>
        n === 'any' ? variadic === undefined : !fixed.includes(n),
      )
      expect(undeclared, `${of} used and not declared`).toEqual([])
      if (of === 'ARGV')
        expect(
          fixed.filter((n) => !indexes.has(n)),
          'ARGV declared and not used',
        ).toEqual([])
    }
  })
})

const ALLOWED = new Set([
  ...['redis', 'KEYS', 'ARGV', 'string', 'math', 'table', 'cjson', 'cmsgpack', 'unpack'],
  ...['ipairs', 'pairs', 'tonumber', 'tostring', 'type'],
])

interface Inspection {
  readonly globals: Set<string>
  /** The indexes of `KEYS[…]` and `ARGV[…]`; `any`: computed. */
  readonly used: Record<'KEYS' | 'ARGV', Set<number | 'any'>>
  /** The fields of the key table `K`. */
  readonly table: Set<string>
}

function inspect(source: string): Inspection {
  const used = { KEYS: new Set<number | 'any'>(), ARGV: new Set<number | 'any'>() }
  const table = new Set<string>()
  const onCreateNode = (node: luaparse.Node) => {
    if (node.type === 'IndexExpression' && node.base.type === 'Identifier') {
      const { name } = node.base
      const { index } = node
      if (name === 'KEYS' || name === 'ARGV')
        used[name].add(index.type === 'NumericLiteral' ? index.value : 'any')
    }
    if (node.type === 'MemberExpression' && node.base.type === 'Identifier' && node.base.name === 'K')
      table.add(node.identifier.name)
  }
  const chunk = luaparse.parse(source, { luaVersion: '5.1', scope: true, onCreateNode }) as luaparse.Chunk & {
    readonly globals: ReadonlyArray<{ readonly name: string }>
  }
  return { globals: new Set(chunk.globals.map(({ name }) => name)), used, table }
}

function textOf(file: string): string {
  return readFileSync(new URL(`${file}.lua`, FOLDER), 'utf8')
}

function luaFiles(folder: string): string[] {
  return readdirSync(new URL(folder, FOLDER))
    .filter((file) => file.endsWith('.lua'))
    .map((file) => folder + file.slice(0, -'.lua'.length))
    .sort()
}
