import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { serveGatedSite } from '../testing/gated-site.ts'
import { runNode } from './run-orbweaver.ts'

/** `--trace` with an SDK that the user registers with `--import`. */

const ROOT = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'orbweaver-traces-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Registers an SDK that writes the names of spans to a file, in batches. */
function tracing(output: string): string {
  const file = join(folder, 'tracing.mjs')
  const resolved = (name: string) => JSON.stringify(import.meta.resolve(name))
  writeFileSync(
    file,
    `import { appendFileSync } from 'node:fs'
import { trace } from ${resolved('@opentelemetry/api')}
import { BasicTracerProvider, BatchSpanProcessor } from ${resolved('@opentelemetry/sdk-trace-base')}
const exporter = {
  export(spans, done) {
    appendFileSync(${JSON.stringify(output)}, spans.map(({ name }) => name + '\\n').join(''))
    done({ code: 0 })
  },
  async shutdown() {},
}
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }))
`,
  )
  return file
}

it.each(['crawl', 'run'])('makes spans of each request of %s', async (command) => {
  const site = await serveGatedSite(5)
  site.allow(5)
  const output = join(folder, `${command}.txt`)
  const spider = join(folder, 'titles.ts')
  writeFileSync(
    spider,
    `import { spider } from ${JSON.stringify(join(ROOT, 'src/index.ts'))}
export default spider({ name: 'titles', start: '${site.url}', *parse(page) { yield* page.followAll('a') } })
`,
  )
  const args = command === 'crawl' ? [join(folder, 'crawl'), site.url] : [spider]
  const { exitCode, stderr } = await runNode([
    ...['--import', tracing(output), join(ROOT, 'testing/orbweaver-process.ts'), command, ...args],
    ...['--trace', '--delay', '0.01', '--email', 'test@example.org'],
  ])
  await site.close()
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' })
  const counts = new Map<string, number>()
  for (const name of readFileSync(output, 'utf8').trim().split('\n'))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  // Five pages, one that does not exist, and robots.txt.
  expect([...counts].filter(([name]) => name !== 'connect').sort()).toEqual([
    ...[
      ['GET', 7],
      ['page', 6],
      ['process', 7],
      ['queue', 7],
      ['receive', 7],
      ['robots.txt', 1],
      ['wait', 7],
    ],
  ])
})
