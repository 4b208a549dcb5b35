import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const MODULE = new URL('compile-cache-root.ts', import.meta.url)
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'compile-cache-')))
afterAll(() => rmSync(folder, { recursive: true }))

function rootAfter(statement: string): string {
  const code = `
    import { enableCompileCache } from 'node:module'
    import { compileCacheRoot } from '${MODULE}'
    ${statement}
    console.log(compileCacheRoot())`
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, ...env } = process.env
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], { env, encoding: 'utf8' }).trim()
}

it('returns the folder that enables the same cache in another thread', () => {
  expect(rootAfter(`enableCompileCache(${JSON.stringify(folder)})`)).toBe(folder)
})

it('returns nothing without a compile cache', () => {
  expect(rootAfter('')).toBe('undefined')
})
