import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ItemFile } from '../src/flows/spider/file-options.ts'
import { spider } from '../src/wiring/define-spider.ts'
import { runSpider } from '../src/wiring/run-spider.ts'
import { FileSite } from '../testing/file-site.ts'
import type { RedisServer } from '../testing/redis-server.ts'
import { useRedis } from '../testing/use-redis.ts'
import { useS3 } from '../testing/use-s3.ts'
import { runOrbweaver } from './run-orbweaver.ts'
import { StartedOrbweaver } from './started-orbweaver.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

let site: FileSite
let other: FileSite
let folder: string
beforeAll(async () => {
  site = await FileSite.start()
  other = await FileSite.start('127.0.0.2')
  return async () => {
    await site.close()
    await other.close()
  }
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-files-'))
  site.hits.length = 0
  other.hits.length = 0
  return () => rmSync(folder, { recursive: true })
})

interface Item {
  readonly n: string
  readonly cover: ItemFile
  readonly photos: readonly ItemFile[]
}

/** Pages on one host, each with a cover on it and photos on the other one. */
function servePages(count: number, size = 1_000): void {
  site.pages.clear()
  site.pages.set('/', Array.from({ length: count }, (_, n) => `<a href="/${n}">${n}</a>`).join(''))
  for (let n = 0; n < count; n++) {
    const photos = [`${n}-1.png`, `${n}-2.png`, 'logo.png'].map(
      (name) => `<i title="${other.origin}/${name}"></i>`,
    )
    site.pages.set(`/${n}`, `<h1>${n}</h1><img src="/cover-${n}.png">${photos.join('')}`)
    site.files.set(`/cover-${n}.png`, { body: content(`cover ${n}`, size) })
    for (const i of [1, 2]) other.files.set(`/${n}-${i}.png`, { body: content(`photo ${n} ${i}`, size) })
  }
  other.files.set('/logo.png', { body: content('logo', size) })
}

function content(text: string, size: number): Buffer {
  return Buffer.concat([PNG, Buffer.alloc(size, text)])
}

function writeSpider(): string {
  const file = join(folder, 'shop.ts')
  writeFileSync(
    file,
    `import { spider } from 'orbweaver'
export default spider({
  name: 'shop',
  start: ['${site.origin}/'],
  settings: { politeness: { delaySeconds: 0.01 }, agent: { email: 'test@example.org' }, http: { allowPrivateHosts: ['127.0.0.2'] } },
  *parse(page) {
    yield* page.followAll('a')
    if (!page.css('h1').exists) return
    yield { n: page.text('h1') }
    yield page.download(page.attr('img', 'src'), { as: 'cover' })
    yield* page.downloadAll(page.css('i').attrs('title'), { as: 'photos' })
  },
})
`,
  )
  return file
}

function check(items: readonly Item[], count: number, size = 1_000): void {
  expect(items.map(({ n }) => Number(n)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: count }, (_, n) => n),
  )
  for (const { n, cover, photos } of items) {
    expect(cover).toMatchObject({ hash: sha256(content(`cover ${n}`, size)) })
    expect(photos).toMatchObject([
      { hash: sha256(content(`photo ${n} 1`, size)) },
      { hash: sha256(content(`photo ${n} 2`, size)) },
      { hash: sha256(content('logo', size)) },
    ])
  }
}

function sha256(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

function itemsIn(text: string): Item[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Item)
}

describe('files of a spider that is killed', () => {
  it('are complete after the next runs, each item once', async () => {
    servePages(12, 200_000)
    const file = writeSpider()
    const out = join(folder, 'items.jsonl')
    const args = ['run', file, '--dir', join(folder, 'crawl'), '--out', out, '--isolated']
    for (const hits of [6, 14, 26]) {
      const started = new StartedOrbweaver(args)
      while (site.hits.length + other.hits.length < hits) await new Promise((next) => setTimeout(next, 5))
      started.kill('SIGKILL')
      await started.ended
    }
    const { exitCode, stderr } = await runOrbweaver(args)
    expect([stderr, exitCode]).toEqual([expect.anything(), 0])
    check(itemsIn(readFileSync(out, 'utf8')), 12, 200_000)
    expect(readdirSync(join(folder, 'crawl/files/.partial'))).toEqual([])
  })
})

describe('files of a fleet', () => {
  let redis: RedisServer
  useRedis(({ server }) => {
    redis = server
  })

  it('are downloaded by whichever worker has the host, and items are complete', async () => {
    servePages(10)
    const file = writeSpider()
    const args = ['run', file, '--redis', redis.address, '--files', join(folder, 'files')]
    const workers = [1, 2].map(() => new StartedOrbweaver(args))
    for (const worker of workers) {
      const { exitCode, stderr } = await worker.ended
      expect([exitCode, stderr]).toEqual([0, expect.anything()])
    }
    const { stdout } = await runOrbweaver(['items', 'shop', '--redis', redis.address, '--out', '-'])
    const items = itemsIn(stdout)
    check(items, 10)
    expect(other.hitsOf('/logo.png')).toHaveLength(1)
  })

  it('need a place, which a worker without one says', async () => {
    const { exitCode, stderr } = await runOrbweaver([
      'run',
      writeSpider(),
      '--redis',
      redis.address,
      '--job',
      'none',
    ])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--files')
  })
})

describe('files in an object store', () => {
  const s3 = useS3()

  it('are put there, and found there by the next crawl', async () => {
    servePages(2)
    const files = s3.newPlace()
    const shop = () =>
      spider({
        name: 'shop',
        start: [`${site.origin}/0`],
        files,
        settings: { politeness: { delaySeconds: 0 }, agent: { email: 'test@example.org' } },
        *parse(page) {
          yield { n: page.text('h1') }
          yield page.download(page.attr('img', 'src'), { as: 'cover' })
        },
      })
    const first = (await runSpider(shop(), { dir: join(folder, 'one'), collect: true }))
      .items[0] as unknown as Item
    expect(first.cover).toMatchObject({ status: 'downloaded', type: 'image/png' })
    const prefix = files.slice(`s3://${s3.server.bucket}/`.length)
    const path = 'path' in first.cover ? first.cover.path : ''
    expect(readFileSync(join(s3.server.folder, prefix, path))).toEqual(content('cover 0', 1_000))
    const second = (await runSpider(shop(), { dir: join(folder, 'two'), collect: true }))
      .items[0] as unknown as Item
    expect(second.cover).toMatchObject({ status: 'cached', path })
    expect(site.hitsOf('/cover-0.png')).toHaveLength(1)
    expect(readdirSync(join(folder, 'one/files/.partial'))).toEqual([])
  })
})
