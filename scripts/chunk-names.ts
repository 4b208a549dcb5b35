import { globSync } from 'node:fs'
import { join } from 'node:path'

/** What the bundler tells about its modules. */
interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[]; readonly isEntry: boolean } | null
}

/** The modules that `roots` import, directly or not, except those of earlier chunks. Late imports, `import()`, do not count. */
interface Chunk {
  readonly name: string
  /** Patterns below `src/`. */
  readonly roots: readonly string[]
  /** Only modules that match. Whatever they import must match, too. */
  readonly only?: RegExp
}

/** A process or thread loads few chunks, and little that it does not need. All other modules are left to the bundler. */
const CHUNKS: readonly Chunk[] = [
  // For the commands, and for everything else: the library must not load the commands.
  { name: 'common', roots: ['cli/*-command.ts', 'cli/main.ts'], only: /^(?!.*\/(?:src\/cli|commander)\/)/ },
  { name: 'commands', roots: ['cli/*-command.ts', 'cli/main.ts'] },
  { name: 'rules', roots: ['adapters/config/build-rules.ts', 'adapters/crawl-directory/segment-tables.ts'] },
  { name: 'parse', roots: ['adapters/parse-threads/parse-batch.ts'] },
  {
    name: 'settings',
    roots: ['adapters/config/load-config-file.ts', 'adapters/crawl-directory/settings-file.ts'],
  },
  { name: 'crawl', roots: ['wiring/open-crawl.ts'] },
  { name: 'spider', roots: ['wiring/run-spider.ts', 'wiring/handler-worker.ts'] },
]

/** @returns the name of the chunk of a module, by its id; `undefined`: the bundler decides */
export function chunkNames(src: string): (id: string, graph: ModuleGraph) => string | undefined {
  let names: ReadonlyMap<string, string> | undefined
  return (id, graph) => {
    names ??= nameModules(src, graph)
    return names.get(id)
  }
}

function nameModules(src: string, graph: ModuleGraph): Map<string, string> {
  const names = new Map<string, string>()
  for (const { name, roots, only } of CHUNKS) {
    const visited = new Set<string>()
    const visit = (id: string): void => {
      if (visited.has(id)) return
      visited.add(id)
      const module = graph.getModuleInfo(id)
      for (const imported of module?.importedIds ?? []) visit(imported)
      // The file of an entry is not part of a chunk: whoever loads the chunk would run it.
      if (module?.isEntry !== false || names.has(id)) return
      if (only === undefined || only.test(id)) names.set(id, name)
    }
    for (const root of globSync(roots, { cwd: src })) if (!root.endsWith('.test.ts')) visit(join(src, root))
  }
  return names
}
