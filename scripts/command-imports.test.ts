import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const COMMANDS = join(import.meta.dirname, '../src/cli')
/** `import … from`, `export … from` and `import '…'`, without types and without late imports. */
const STATIC_IMPORT = /^(?:import|export) (?!type\b)(?:[^'`]*? from )?'([^']+)'/gm

/** The packages that a module imports, directly or not. */
function packagesOf(module: string): string[] {
  const seen = new Set<string>()
  const packages = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const [, target = ''] of sourceOf(file).matchAll(STATIC_IMPORT)) {
      if (target.startsWith('.')) visit(join(dirname(file), target))
      else packages.add(target)
    }
  }
  visit(module)
  return [...packages]
}

/** Without templates: those of `new` are spiders, with imports of their own. */
function sourceOf(file: string): string {
  return readFileSync(file, 'utf8').replaceAll(/`[^`]*`/g, '``')
}

const commands = readdirSync(COMMANDS).filter((file) => /-command\.ts$/.test(file))

it('finds the commands', () => expect(commands.length).toBeGreaterThan(30))

// An import of node:http loads the `fetch` of Node.js, too.
const SLOW_MODULES = ['node:http', 'node:https', 'node:http2', 'node:tls', 'node:sqlite', 'node:repl']

it.each(commands)('the help of %s loads no package but commander', (file) => {
  const imported = packagesOf(join(COMMANDS, file))
  const slow = imported.filter((name) => !name.startsWith('node:') || SLOW_MODULES.includes(name))
  expect(slow.filter((name) => name !== 'commander')).toEqual([])
})
