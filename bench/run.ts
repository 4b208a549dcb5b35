/** `npm run bench` runs every benchmark; `npm run bench -- html politeness` only those. */
import { readdirSync } from 'node:fs'

const known = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length))
const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !known.includes(name))

// Through `undoAtExit`, and with the exit code that shells give.
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

if (unknown.length > 0) {
  console.error(`no benchmark called ${unknown.join(', ')}; there are: ${known.join(', ')}`)
  process.exitCode = 2
} else {
  for (const name of chosen.length > 0 ? chosen : known) {
    console.log(`\n## ${name}\n`)
    const bench = (await import(`./${name}.bench.ts`)) as { run(): Promise<void> | void }
    await bench.run()
  }
}
