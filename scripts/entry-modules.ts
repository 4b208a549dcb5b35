import { posix } from 'node:path'

interface Entries {
  /** Files that users import: `import 'orbweaver'`, `require('orbweaver')`. They refuse a Node.js that is too old. */
  readonly doors: readonly string[]
  /** Other files that Node.js loads: child processes. */
  readonly modules: readonly string[]
  /** Files of threads, which load their code as the command does. */
  readonly threads: readonly string[]
}

interface Chunk {
  readonly type: 'chunk'
  code: string
  readonly exports: readonly string[]
}

interface PluginContext {
  emitFile(file: { readonly type: 'asset'; readonly fileName: string; readonly source: string }): void
}

type Bundle = Readonly<Record<string, Chunk | { readonly type: 'asset' }>>

/** Before anything that an older Node.js cannot load. Doors are directly in dist/. */
const REQUIRE_NODE = `require("../bin/required-node.cjs").requireNode();\n`

/** A plugin that writes an ECMAScript module `x.js` for each entry `x.cjs`. */
export function entryModules({ doors, modules, threads }: Entries) {
  return {
    name: 'entry-modules',
    generateBundle(this: PluginContext, _: unknown, bundle: Bundle): void {
      const chunkOf = (entry: string): Chunk => {
        const chunk = bundle[`${entry}.cjs`]
        if (chunk?.type !== 'chunk') throw new Error(`no entry ${entry}.cjs`)
        return chunk
      }
      const emit = (entry: string, source: (exports: string) => string): void => {
        const chunk = chunkOf(entry)
        const exports = `export const { ${chunk.exports.join(', ')} } = `
        this.emitFile({
          type: 'asset',
          fileName: `${entry}.js`,
          source: source(chunk.exports.length > 0 ? exports : ''),
        })
      }
      for (const door of doors) chunkOf(door).code = REQUIRE_NODE + chunkOf(door).code
      for (const entry of [...doors, ...modules])
        emit(entry, (exports) => `import entry from './${posix.basename(entry)}.cjs'\n${exports}entry\n`)
      for (const entry of threads) {
        const loader = posix.relative(posix.dirname(entry), 'base/load-thread.cjs')
        emit(
          entry,
          (exports) => `import loader from '${loader}'\n${exports}loader.loadThread('${entry}.cjs')\n`,
        )
      }
    },
  }
}
