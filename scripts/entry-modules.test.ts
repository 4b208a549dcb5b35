import { expect, it } from 'vitest'
import { entryModules } from './entry-modules.ts'

function emitted(exports: readonly string[]): Map<string, string> {
  const files = new Map<string, string>()
  const plugin = entryModules({ modules: ['index'], threads: ['wiring/handler-worker'] })
  const chunk = { type: 'chunk', exports } as const
  const context = {
    emitFile: ({ fileName, source }: { fileName: string; source: string }) =>
      void files.set(fileName, source),
  }
  plugin.generateBundle.call(context, undefined, { 'index.cjs': chunk, 'wiring/handler-worker.cjs': chunk })
  return files
}

it('exports the names of each entry', () => {
  expect(emitted(['a', 'b'])).toEqual(
    new Map([
      ['index.js', `import entry from './index.cjs'\nexport const { a, b } = entry\n`],
      [
        'wiring/handler-worker.js',
        `import loader from '../base/load-thread.cjs'\nexport const { a, b } = loader.loadThread('wiring/handler-worker.cjs')\n`,
      ],
    ]),
  )
})

it('loads an entry without exports', () => {
  expect(emitted([]).get('wiring/handler-worker.js')).toBe(
    `import loader from '../base/load-thread.cjs'\nloader.loadThread('wiring/handler-worker.cjs')\n`,
  )
})
