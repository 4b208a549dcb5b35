import { parseAst } from 'vite'
import { expect, it } from 'vitest'
import { replaceImports } from './late-imports.ts'

it('replaces imports, but not text that looks like one', () => {
  const code = `const x = 'import("a")'; const y = import("b"); f(async () => (await import(c.d)).e)`
  expect(replaceImports(code, 'chunks/crawl.cjs', parseAst)).toBe(
    `const x = 'import("a")'; const y = require("../base/import-module.cjs").importModule("b"); f(async () => (await require("../base/import-module.cjs").importModule(c.d)).e)`,
  )
})

it('refuses a relative path', () => {
  expect(() => replaceImports(`import("./x.js")`, 'chunks/crawl.cjs', parseAst)).toThrow('is relative')
})
