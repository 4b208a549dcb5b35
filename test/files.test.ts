import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ItemFile } from '../src/flows/spider/file-options.ts'
import { type Spider, spider } from '../src/wiring/define-spider.ts'
import { runSpider } from '../src/wiring/run-spider.ts'
import type { RunSpiderOptions } from '../src/wiring/run-spider-options.ts'
import { command } from '../testing/command-line.ts'
import { FileSite } from '../testing/file-site.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

let site: FileSite
let folder: string
beforeEach(async () => {
  site = await FileSite.start()
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-files-'))
  return async () => {
    await site.close()
    rmSync(folder, { recursive: true })
  }
})

const quick = {
  settings: { politeness: { delaySeconds: 0 }, agent: { email: 'test@example.org' } },
  retry: { delaySeconds: { network: 0.01, serverError: 0.01 } },
} as const

/** A spider of one page, whose images are the files of one item. */
function gallery(more: Partial<Spider> = {}) {
  return spider({
    name: 'gallery',
    start: [`${site.origin}/`],
    ...quick,
    *parse(page) {
      yield { title: page.text('h1') }
      yield* page.downloadAll('img', { as: 'images' })
    },
    ...more,
  })
}

interface Item {
  readonly title: string
  readonly images: readonly ItemFile[]
}

async function run(
  what = gallery(),
  options: RunSpiderOptions = {},
): Promise<{ items: Item[]; stats: Awaited<ReturnType<typeof runSpider>>['stats'] }> {
  const { items, stats } = await runSpider(what, { dir: join(folder, 'crawl'), collect: true, ...options })
  return { items: items as unknown as Item[], stats }
}

function page(...paths: readonly string[]): string {
  return `<h1>Pictures</h1>${paths.map((path) => `<img src="${path}">`).join('')}`
}

/** All files of a folder, without those of the store itself. */
function contents(place = join(folder, 'crawl', 'files')): string[] {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes(`${place}/.`))
    .map(({ name }) => name)
    .sort()
}

function partials(): string[] {
  return readdirSync(join(folder, 'crawl', 'files', '.partial'))
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex')
}

/** Bytes that look like those of a file: different everywhere, and the same each time. */
function bytes(length: number): Buffer {
  const data = Buffer.alloc(length)
  for (let i = 0, value = 1; i < length; i++) {
    value = (value * 1_103_515_245 + 12_345) & 0x7fffffff
    data[i] = value >> 16
  }
  return data
}

describe('a downloaded file', () => {
  it('is stored by its hash and recorded in the item', async () => {
    site.pages.set('/', page('/a.png', '/b.pdf'))
    site.files.set('/a.png', { body: PNG, type: 'image/png' })
    site.files.set('/b.pdf', { body: '%PDF-1.7 x', type: 'application/pdf' })
    const { items, stats } = await run()
    const hash = sha256(PNG)
    expect(items).toEqual([
      {
        title: 'Pictures',
        images: [
          {
            url: `${site.origin}/a.png`,
            status: 'downloaded',
            path: `${hash.slice(0, 2)}/${hash}.png`,
            hash,
            size: PNG.length,
            type: 'image/png',
          },
          expect.objectContaining({ status: 'downloaded', type: 'application/pdf', size: 10 }),
        ],
      },
    ])
    expect(readFileSync(join(folder, 'crawl/files', hash.slice(0, 2), `${hash}.png`))).toEqual(PNG)
    expect(stats.files).toEqual({ downloaded: 2, 'not-modified': 0, cached: 0, failed: 0 })
    expect(stats.pages).toBe(1)
    expect(partials()).toEqual([])
  })

  it('is stored once, whatever its URLs and items', async () => {
    site.pages.set('/', `${page('/a.png', '/same.png', '/a.png', '/moved')}<a href="/2">2</a>`)
    site.pages.set('/2', page('/a.png'))
    site.redirects.set('/moved', '/a.png')
    for (const path of ['/a.png', '/same.png']) site.files.set(path, { body: PNG, type: 'image/png' })
    const { items } = await run(
      gallery({
        *parse(found) {
          yield { title: found.text('h1') }
          yield* found.downloadAll('img', { as: 'images' })
          yield* found.followAll('a')
        },
      }),
    )
    const statuses = items.flatMap(({ images }) => images.map(({ status }) => status)).sort()
    expect(statuses).toEqual(['cached', 'cached', 'cached', 'downloaded', 'downloaded'])
    expect(contents()).toEqual([`${sha256(PNG)}.png`])
    expect(site.hitsOf('/a.png')).toHaveLength(1)
  })

  it('is not requested again by the next crawl, and only revalidated after expiresDays', async () => {
    site.pages.set('/', page('/a.png'))
    site.files.set('/a.png', { body: PNG, type: 'image/png', etag: '"1"' })
    const files = join(folder, 'shared')
    const next = async (more: Partial<Spider> = {}, dir = String(Math.random())) =>
      (await run(gallery(more), { dir: join(folder, dir), files })).items[0]?.images[0]
    expect(await next()).toMatchObject({ status: 'downloaded' })
    expect(await next()).toMatchObject({ status: 'cached' })
    expect(site.hitsOf('/a.png')).toHaveLength(1)
    expect(await next({ files: { expiresDays: 0 } })).toMatchObject({ status: 'not-modified', size: 16 })
    expect(site.hitsOf('/a.png').at(-1)).toMatchObject({ ifNoneMatch: '"1"', status: 304 })
    site.files.set('/a.png', { body: Buffer.concat([PNG, PNG]), type: 'image/png', etag: '"2"' })
    expect(await next({ files: { expiresDays: 0 } })).toMatchObject({ status: 'downloaded', size: 32 })
    // A file that the user deleted is downloaded again.
    rmSync(join(files, sha256(Buffer.concat([PNG, PNG])).slice(0, 2)), { recursive: true })
    expect(await next()).toMatchObject({ status: 'downloaded', size: 32 })
  })

  it('is decoded if the server encodes it unasked, but an archive is stored as it is', async () => {
    const text = 'a,b\n'.repeat(10_000)
    site.pages.set('/', page('/a.csv', '/b.tar.gz', '/c.csv'))
    const headers = { 'content-encoding': 'gzip' }
    site.files.set('/a.csv', { body: gzipSync(text), type: 'text/csv', headers })
    site.files.set('/b.tar.gz', { body: gzipSync('tar'), type: 'application/x-tar', headers })
    site.files.set('/c.csv', { body: gzipSync(text).subarray(0, 60), type: 'text/csv', headers })
    const { items } = await run(gallery({ retry: { retries: { network: 0 } } }))
    expect(items[0]?.images).toMatchObject([
      { status: 'downloaded', hash: sha256(text), size: text.length },
      { status: 'downloaded', hash: sha256(gzipSync('tar')), type: 'application/gzip' },
      { status: 'failed', code: 'file-incomplete', reason: expect.stringContaining('cannot be decoded') },
    ])
  })
})

it('is downloaded from a host outside the scope of the spider, under its robots.txt', async () => {
  const other = await FileSite.start('127.0.0.2')
  try {
    site.pages.set('/', page(`${other.origin}/a.png`, `${other.origin}/private/b.png`))
    for (const path of ['/a.png', '/private/b.png']) other.files.set(path, { body: PNG })
    const settings = {
      ...quick.settings,
      http: { allowPrivateHosts: ['127.0.0.2'] },
      filters: { scope: 'host' as const },
    }
    const { items } = await run(gallery({ allow: ['127.0.0.1'], settings }))
    expect(items[0]?.images).toMatchObject([
      { url: `${other.origin}/a.png`, size: PNG.length },
      { status: 'failed', code: 'robots' },
    ])
    expect(other.hits.map(({ path }) => path)).not.toContain('/private/b.png')
  } finally {
    await other.close()
  }
})

describe('a download that fails', () => {
  it.each([
    ['is not there', '/none.png', { code: 'http-404', reason: 'the server returned 404' }],
    ['is disallowed', '/private/x.png', { code: 'robots', reason: expect.stringContaining('Disallow') }],
    ['is not a URL', 'data:image/png;base64,AAAA', { code: 'url' }],
    ['has the wrong type', '/page.png', { code: 'file-type', reason: expect.stringContaining('text/html') }],
    ['is too large, as announced', '/large.png', { code: 'file-too-large' }],
    ['is too large, as sent', '/endless.png', { code: 'file-too-large' }],
    ['is always cut', '/cut.png', { code: 'file-incomplete', reason: expect.stringContaining('closed') }],
    ['has a wrong Content-Length', '/wrong.png', { code: 'file-incomplete' }],
    ['redirects in a circle', '/circle', { code: 'redirect' }],
    ['is on a private address', 'http://127.0.0.9:8080/x.png', { code: 'refused-address' }],
  ])('is recorded in the item: %s', async (_, path, failure) => {
    const image = Buffer.concat([PNG, bytes(20_000)])
    site.pages.set('/', page(path, '/good.png'))
    site.files.set('/good.png', { body: PNG })
    site.files.set('/page.png', { body: '<!doctype html><title>404</title>', type: 'image/png' })
    site.files.set('/large.png', { body: Buffer.concat([PNG, bytes(200_000)]), type: 'image/png' })
    site.files.set('/endless.png', {
      ...{ body: Buffer.concat([PNG, bytes(200_000)]), type: 'image/png' },
      headers: { 'transfer-encoding': 'chunked' },
    })
    site.files.set('/cut.png', { body: image, cuts: Array(9).fill(10_000), ranges: false })
    site.files.set('/wrong.png', { body: image, length: image.length + 5_000, cuts: Array(9).fill(1e6) })
    site.redirects.set('/circle', '/circle2')
    site.redirects.set('/circle2', '/circle')
    const { items, stats } = await run(gallery({ files: { types: ['image/*'], maxBytes: 100_000 } }))
    expect(items[0]?.images).toMatchObject([
      { status: 'failed', ...failure },
      { status: 'downloaded', type: 'image/png' },
    ])
    expect(items).toHaveLength(1)
    expect(stats.files).toMatchObject({ downloaded: 1, failed: path.startsWith('data:') ? 0 : 1 })
    expect(contents()).toEqual([`${sha256(PNG)}.png`])
    expect(partials()).toEqual([])
    const isDeadLetter = !path.startsWith('data:') && !path.startsWith('/private')
    expect(Object.values(stats.failed).reduce((sum, n) => sum + n, 0)).toBe(isDeadLetter ? 1 : 0)
  })
})

it('a failed download can be retried: the item is stored once more, with the file', async () => {
  site.pages.set('/', page('/a.png', '/b.png'))
  site.files.set('/b.png', { body: PNG })
  expect((await run()).items[0]?.images).toMatchObject([{ code: 'http-404' }, { status: 'downloaded' }])
  site.files.set('/a.png', { body: Buffer.concat([PNG, PNG]) })
  await command(['failed', join(folder, 'crawl'), '--retry'])
  expect((await run()).items[0]?.images).toMatchObject([
    { status: 'downloaded', size: 32 },
    { status: 'cached' },
  ])
  expect(site.hitsOf('/b.png')).toHaveLength(1)
})

describe('an interrupted download', () => {
  const large = Buffer.concat([PNG, bytes(300_000)])

  it('continues where it was cut', async () => {
    site.pages.set('/', page('/large.png'))
    site.files.set('/large.png', { body: large, type: 'image/png', etag: '"v1"', cuts: [100_000, 50_000] })
    const { items } = await run()
    expect(items[0]?.images).toMatchObject([
      { status: 'downloaded', hash: sha256(large), size: large.length },
    ])
    const hits = site.hitsOf('/large.png')
    expect(hits.map(({ status }) => status)).toEqual([200, 206, 206])
    expect(hits[1]).toMatchObject({ ifRange: '"v1"', range: expect.stringMatching(/^bytes=[1-9]\d*-$/) })
    expect(partials()).toEqual([])
  })

  it.each([
    ['ignores Range', { ranges: false, etag: '"v1"' }, 2],
    ['has no validators', {}, 2],
    ['has a weak ETag only', { etag: 'W/"v1"' }, 2],
  ])('starts again if the server %s', async (_, options, requests) => {
    site.pages.set('/', page('/large.png'))
    site.files.set('/large.png', { body: large, type: 'image/png', cuts: [100_000], ...options })
    const { items } = await run()
    expect(items[0]?.images).toMatchObject([{ status: 'downloaded', hash: sha256(large) }])
    expect(site.hitsOf('/large.png')).toHaveLength(requests)
    expect(partials()).toEqual([])
  })

  it('starts again if the server sends another part, or has a shorter file', async () => {
    const wrong = [{ status: 206, headers: { 'content-range': 'bytes 0-1/2' } }, { status: 416 }]
    for (const [i, response] of wrong.entries()) {
      const path = `/large-${i}.png`
      const whole = { body: large, type: 'image/png', etag: '"v1"', ranges: false }
      site.pages.set('/', page(path))
      site.files.set(path, [{ ...whole, cuts: [100_000] }, { ...whole, ...response }, whole])
      const { items } = await run(gallery(), { dir: join(folder, `crawl-${i}`) })
      expect(items[0]?.images).toMatchObject([{ status: 'downloaded', hash: sha256(large) }])
      expect(site.hitsOf(path).map(({ status }) => status)).toEqual([200, response.status, 200])
    }
  })

  it('starts again if the file changed meanwhile', async () => {
    const changed = Buffer.concat([PNG, bytes(50_000).reverse()])
    site.pages.set('/', page('/large.png'))
    site.files.set('/large.png', [
      { body: large, type: 'image/png', etag: '"v1"', cuts: [100_000] },
      { body: changed, type: 'image/png', etag: '"v2"' },
    ])
    const { items } = await run()
    expect(items[0]?.images).toMatchObject([{ status: 'downloaded', hash: sha256(changed) }])
    expect(site.hitsOf('/large.png').map(({ status }) => status)).toEqual([200, 200])
  })

  it('is continued by the next run after Ctrl-C', async () => {
    let release = (): void => {}
    const hold = new Promise<void>((resolve) => {
      release = resolve
    })
    site.pages.set('/', page('/large.png'))
    site.files.set('/large.png', { body: large, type: 'image/png', etag: '"v1"', hold })
    const stop = new AbortController()
    const first = run(gallery(), { signal: stop.signal, settings: { politeness: { delaySeconds: 0 } } })
    while (
      site.hitsOf('/').length === 0 ||
      !existsSync(join(folder, 'crawl/files/.partial')) ||
      partials().length === 0
    )
      await new Promise((resolve) => setTimeout(resolve, 20))
    stop.abort()
    expect((await first).items).toEqual([])
    release()
    site.files.set('/large.png', { body: large, type: 'image/png', etag: '"v1"' })
    const { items } = await run()
    expect(items[0]?.images).toMatchObject([{ status: 'downloaded', hash: sha256(large) }])
    expect(site.hitsOf('/large.png').map(({ status }) => status)).toEqual([200, 206])
    expect(site.hitsOf('/')).toHaveLength(1)
  }, 30_000)
})

describe('items and files', () => {
  beforeEach(() => {
    site.pages.set('/', page('/a.png', '/b.png'))
    site.files.set('/a.png', { body: PNG })
    site.files.set('/b.png', { body: Buffer.concat([PNG, PNG]) })
  })

  it('belong together by name: each item has its own files', async () => {
    const { items } = await runSpider(
      gallery({
        *parse(found) {
          for (const image of found.css('img')) {
            const item = found.item({ name: image.attr('src') })
            yield item
            yield found.download(image.attr('src'), { as: 'cover', item })
          }
        },
      }),
      { dir: join(folder, 'crawl') },
    )
    // An item is stored when its files are there, in any order.
    expect(items).toHaveLength(2)
    expect(items).toContainEqual(
      expect.objectContaining({ name: '/a.png', cover: expect.objectContaining({ size: 16 }) }),
    )
    expect(items).toContainEqual(
      expect.objectContaining({ name: '/b.png', cover: expect.objectContaining({ size: 32 }) }),
    )
  })

  it('wait for --max-pages: the run ends when the files of its items are there', async () => {
    site.pages.set('/', `${page('/a.png', '/b.png')}<a href="/x">x</a><a href="/y">y</a>`)
    site.pages.set('/x', page('/a.png'))
    const what = gallery({
      *parse(found) {
        yield { title: found.text('h1') }
        yield* found.downloadAll('img', { as: 'images' })
        yield* found.followAll('a')
      },
    })
    const { items, stats } = await run(what, { maxPages: 1 })
    expect(items.map(({ images }) => images.length)).toEqual([2])
    expect(stats.pages).toBe(1)
    expect((await run(what)).items.map(({ images }) => images.length)).toEqual([1])
  })

  it.each<[string, Partial<Spider>, string]>([
    [
      'an unclear item',
      {
        *parse(found) {
          yield* [{ n: 1 }, { n: 2 }]
          yield found.download('/a.png')
        },
      },
      'must name its own',
    ],
    [
      'a field twice',
      {
        *parse(found) {
          yield found.download('/a.png', { as: 'cover' })
          yield found.download('/b.png', { as: 'cover' })
        },
      },
      "write as: 'cover[]'",
    ],
    [
      'a field of the item',
      {
        *parse(found) {
          yield { cover: 1 }
          yield found.download('/a.png', { as: 'cover' })
        },
      },
      'has a field "cover" already',
    ],
  ])('are a mistake of the handler with %s', async (_, more, message) => {
    const { stats } = await run(gallery(more))
    expect(stats.failures).toMatchObject([
      { kind: 'handler-threw', reason: expect.stringContaining(message) },
    ])
  })

  it('need a place', async () => {
    await expect(runSpider(gallery(), {})).rejects.toThrow('give --dir')
    const files = join(folder, 'only-files')
    const { items } = await runSpider(gallery(), { files, collect: true })
    expect(items).toMatchObject([{ images: [{ status: 'downloaded' }, { status: 'downloaded' }] }])
    expect(contents(files)).toHaveLength(2)
  })

  it('go through request hooks, which do not see the item', async () => {
    const seen: unknown[] = []
    const { items } = await run(
      gallery({
        hooks: [
          {
            name: 'token',
            request(request) {
              seen.push(request.meta)
              return request.url.endsWith('/b.png')
                ? undefined
                : { headers: { ...request.headers, 'x-token': '1' } }
            },
          },
        ],
      }),
    )
    expect(items[0]?.images).toMatchObject([{ status: 'downloaded' }, { status: 'downloaded' }])
    expect(JSON.stringify(seen)).not.toContain('Pictures')
  })
})
