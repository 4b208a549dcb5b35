import { expect, it } from 'vitest'
import { entryModules } from './entry-modules.ts'

function emitted(exports: readonly string[]): Map<string, string> {
  const files = new Map<string, string>()
  const plugin = entryModules({
    doors: ['index'],
    modules: ['adapters/spark/rules-worker'],
    threads: ['wiring/handler-worker'],
  })
  const chunk = () => ({ type: 'chunk', code: 'exports.a = 1', exports }) as const
  const bundle = {
    'index.cjs': chunk(),
    'adapters/spark/rules-worker.cjs': chunk(),
    'wiring/handler-worker.cjs': chunk(),
  }
  const context = {
    emitFile: ({ fileName, source }: { fileName: string; source: string }) =>
      void files.set(fileName, source),
  }
  plugin.generateBundle.call(context, undefined, bundle)
  for (const [fileName, { code }] of Object.entries(bundle)) files.set(fileName, code)
  return files
}

it('exports the names of each entry', () => {
  const files = emitted(['a', 'b'])
  expect(files.get('index.js')).toBe(`import entry from './index.cjs'\nexport const { a, b } = entry\n`)
  expect(files.get('adapters/spark/rules-worker.js')).toBe(
    `import entry from './rules-worker.cjs'\nexport const { a, b } = entry\n`,
  )
  expect(files.get('wiring/handler-worker.js')).toBe(
    `import loader from '../base/load-thread.cjs'\nexport const { a, b } = loader.loadThread('wiring/handler-worker.cjs')\n`,
  )
})

it('loads an entry without exports', () => {
  expect(emitted([]).get('wiring/handler-worker.js')).toBe(
    `import loader from '../base/load-thread.cjs'\nloader.loadThread('wiring/handler-worker.cjs')\n`,
  )
})

it('checks the version of Node.js first in what users import', () => {
  const files = emitted(['a'])
  expect(files.get('index.cjs')).toBe('require("../bin/required-node.cjs").requireNode();\nexports.a = 1')
  expect(files.get('adapters/spark/rules-worker.cjs')).toBe('exports.a = 1')
})
