import { spider } from '../src/wiring/define-spider.ts'

/** The spider of spider.bench.ts, in a file of its own: isolated handlers are loaded from it. */
// biome-ignore lint/style/noDefaultExport: the file of a spider has one
export default ({ start = '', maxPages = '', threads = '', hosts = '' }: Readonly<Record<string, string>>) =>
  spider({
    name: 'teasers',
    start: [start],
    allow: '*',
    limits: { maxPages: Number(maxPages) },
    settings: {
      agent: { email: 'bench@example.org' },
      politeness: { delaySeconds: 0, threads: Number(threads) },
      http: { allowPrivateHosts: hosts.split(' ') },
    },
    *parse(page) {
      yield page.item({ url: page.url, title: page.text('h1'), rows: page.css('td.num').texts() })
      yield* page.followAll('#links a')
    },
  })
