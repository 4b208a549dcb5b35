/**
 * Serves made-up running crawls, for work on the page: `npx node testing/serve-fake-crawls.ts [port] [hosts]`, until Ctrl-C.
 * The page comes from dist/web (`npm run build`).
 */
import { fileURLToPath } from 'node:url'
import { listen } from '../src/adapters/serve/listen.ts'
import { createServeApp, readWebFiles } from '../src/adapters/serve/serve-app.ts'
import { wallClock } from '../src/base/clock.ts'
import { FakeLiveCrawl, type FakeLiveCrawlOptions } from './fake-live-crawl.ts'

const [port = '8090', hosts = '50'] = process.argv.slice(2)

const entry = (id: string, options: FakeLiveCrawlOptions) => {
  const live = new FakeLiveCrawl(wallClock, { hosts: Number(hosts), ...options })
  return { id, name: id, live: { find: async () => live } }
}

const app = createServeApp({
  crawls: [
    entry('cycle', {}),
    entry('spider', { kind: 'spider' }),
    entry('fleet', { kind: 'fleet', workers: 5 }),
    entry('hostile', { kind: 'fleet', hostile: true }),
    { id: 'idle', name: 'idle', live: { find: async () => undefined } },
  ],
  clock: wallClock,
  files: await readWebFiles(fileURLToPath(new URL('../dist/web/', import.meta.url))),
  host: '127.0.0.1',
})
const { url } = await listen(app, { host: '127.0.0.1', port: Number(port) })
process.stdout.write(`Serving made-up crawls on ${url}\n`)
