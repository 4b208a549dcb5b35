import { join } from 'node:path'
import { defineConfig } from 'vite'
import { asciiChunks } from './ascii-chunks.ts'
import { chunkNames } from './chunk-names.ts'
import { entryModules } from './entry-modules.ts'
import { lateImports } from './late-imports.ts'

const SOURCES = join(import.meta.dirname, '../src')

/** The command, which `src/base/program-loader.ts` loads. */
const COMMAND = ['cli/start', 'cli/main', 'base/load-thread', 'base/import-module']
/** The doors of the library: `exports` of package.json. */
const DOORS = ['index', 'crawl', 'url', 'robots', 'page', 'politeness', 'http', 'config', 'spider']
/** The code of child processes, and that of a small thread. */
const MODULES = [
  ...['wiring/search-worker', 'adapters/spark/rules-worker', 'wiring/control/crawl-process'],
  'flows/spider/call-watchdog-thread',
]
const THREADS = [
  'adapters/parse-threads/parse-worker',
  'adapters/sqlite-index/index-writer-thread',
  'wiring/handler-worker',
]
const ENTRIES = [...COMMAND, ...DOORS, ...MODULES, ...THREADS]

/** Packages of many modules. The others are native, optional, or loaded late. */
const BUNDLED = ['@duckdb/node-api', 'commander', 'zod']

/** Bundles the program: Node.js takes half a millisecond for each file that it loads, and a crawl needs 600 modules. */
// biome-ignore lint/style/noDefaultExport: Vite reads it by that name
export default defineConfig({
  root: join(import.meta.dirname, '..'),
  publicDir: false,
  ssr: { noExternal: BUNDLED },
  plugins: [asciiChunks(), lateImports(), entryModules({ doors: DOORS, modules: MODULES, threads: THREADS })],
  build: {
    ssr: true,
    outDir: 'dist',
    emptyOutDir: false,
    target: 'node22',
    // The terms of what is bundled go with it.
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: Object.fromEntries(ENTRIES.map((entry) => [entry, join(SOURCES, `${entry}.ts`)])),
      output: {
        // V8 can keep the compiled functions of CommonJS (src/base/program-loader.ts), but not those of modules.
        format: 'cjs',
        entryFileNames: '[name].cjs',
        // They would be read at each start; the licenses are in a file of their own.
        comments: false,
        // Next to src/base/ in depth: see src/base/program-files.ts.
        chunkFileNames: 'chunks/[name].cjs',
        codeSplitting: {
          groups: [{ name: chunkNames(SOURCES), debugName: 'chunks', includeDependenciesRecursively: false }],
        },
      },
    },
  },
})
