// Plain JavaScript, as clean-dist.js: npm may run it with any version of Node.js.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/**
 * Leaves out of package.json what only this repository needs, so that no script and no development package is part of what users install:
 * `prepack` runs it, and `postpack` runs it with --restore.
 */
const MANIFEST = new URL('../package.json', import.meta.url)
const ORIGINAL = new URL('../package.json.original', import.meta.url)

if (process.argv.includes('--restore')) {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST)
} else if (!existsSync(ORIGINAL)) {
  const text = readFileSync(MANIFEST, 'utf8')
  const { scripts, devDependencies, allowScripts, ...packed } = JSON.parse(text)
  writeFileSync(ORIGINAL, text)
  writeFileSync(MANIFEST, `${JSON.stringify(packed, undefined, 2)}\n`)
}
