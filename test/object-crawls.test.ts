import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../testing/command-line.ts'
import { requireS3Server } from '../testing/require-s3-server.ts'
import { ServedDirectory } from '../testing/served-directory.ts'
import { useS3 } from '../testing/use-s3.ts'

const TIMEOUT_MS = 300_000

describe.runIf(requireS3Server())(
  'daily work on segments in an object store',
  { timeout: TIMEOUT_MS },
  () => {
    const s3 = useS3()
    let demo: DemoCrawls
    let folder: string

    beforeAll(async () => {
      demo = await DemoCrawls.start()
      folder = mkdtempSync(join(tmpdir(), 'orbweaver-object-crawls-'))
    })
    afterAll(async () => {
      await demo.close()
      rmSync(folder, { recursive: true })
    })

    it('keeps the pages of a spider there, for all commands on any machine', async () => {
      const dir = join(folder, 'spider')
      const place = s3.newPlace()
      const bakery = demo.web.url('bakery', '/')
      const file = join(folder, 'pages.ts')
      writeFileSync(
        file,
        `import { spider } from ${JSON.stringify(join(import.meta.dirname, '../src/index.ts'))}
       export default spider({ name: 'pages', start: [${JSON.stringify(bakery)}],
         settings: { segments: ${JSON.stringify(place)} },
         *parse(page) { yield page.item({ url: page.url }); yield* page.followAll('a') } })`,
      )
      const run = ['run', file, '--dir', dir, '--keep-pages', ...FLAGS]
      const { stats } = await commandJson<{ stats: { pages: number } }>([...run, '--max-pages', '3'])
      const second = await commandJson<{ stats: { pages: number } }>([...run, '--max-pages', '3'])
      expect(stats.pages).toBe(3)
      expect(second.stats.pages).toBe(3)
      const moved = join(folder, 'spider-moved')
      cpSync(dir, moved, { recursive: true })
      rmSync(join(moved, 'segments'), { recursive: true })
      await done(['index', moved])
      const { total } = await commandJson<{ total: number }>(['search', moved, 'bread'])
      expect(total).toBeGreaterThan(0)
      const exported = await done(['export', moved, '--out', join(folder, 'pages.jsonl')])
      expect(Number.parseInt(exported.stdout, 10)).toBe(6)
      expect((await done(['explain', moved, bakery])).stdout).toContain('fetch_success')
      await done(['mergesegs', moved, '--delete'])
      expect((await done(['readseg', moved, '--list'])).stdout.trim().split('\n')).toHaveLength(2)
      const again = await done(['export', moved, '--out', join(folder, 'merged.jsonl')])
      expect(again.stdout.split(' ')[0]).toBe(exported.stdout.split(' ')[0])
    })

    it('rejects a prefix that has the segments of another crawl, and leaves nothing behind', async () => {
      const place = s3.newPlace()
      const bakery = demo.web.url('bakery', '/')
      const flags = ['--rounds', '1', '--segments', place, ...QUICK]
      await done(['crawl', join(folder, 'first'), bakery, ...flags])
      const dir = join(folder, 'second')
      const { exitCode, stderr } = await command(['crawl', dir, bakery, ...flags])
      expect(exitCode).toBe(2)
      expect(stderr).toContain(`${place} has the segments of another crawl already`)
      expect(existsSync(dir)).toBe(false)
      await done(['crawl', join(folder, 'first'), ...flags])
    })

    it('updates a new crawl directory from the segments of a lost one', async () => {
      const place = s3.newPlace()
      const lost = join(folder, 'lost')
      await done(['crawl', lost, demo.web.url('bakery', '/'), '--rounds', '2', '--segments', place, ...QUICK])
      const dir = join(folder, 'recovered')
      mkdirSync(dir)
      cpSync(join(lost, 'segments.json'), join(dir, 'segments.json'))
      await done(['inject', dir, demo.web.url('bakery', '/')])
      await done(['updatedb', dir])
      const fetched = (crawl: string) =>
        commandJson<unknown>([
          'readdb',
          crawl,
          '--sql',
          "select url from crawldb where status = 'db_fetched' order by url",
        ])
      expect(await fetched(dir)).toEqual(await fetched(lost))
    })

    it('serves a crawl, and says soon that the store is away', async () => {
      const dir = join(folder, 'served')
      const bakery = demo.web.url('bakery', '/')
      await done(['crawl', dir, bakery, '--rounds', '2', '--index', '--segments', s3.newPlace(), ...QUICK])
      rmSync(join(dir, 'segments'), { recursive: true })
      const served = await ServedDirectory.start(dir)
      const get = async (path: string) => {
        const response = await fetch(new URL(`/api/${path}`, served.url))
        return { status: response.status, text: await response.text() }
      }
      const about = `url?url=${encodeURIComponent(bakery)}`
      try {
        expect(JSON.parse((await get('overview')).text)).toMatchObject({ segments: 2 })
        expect((await get('search?q=bread')).status).toBe(200)
        expect((await get(about)).text).toContain('fetch_success')
        expect((await get('history')).text).toContain('"fetched"')
        await s3.server.kill()
        const away = await get(about)
        expect(away.status).toBe(500)
        expect(away.text).toMatch(/the connection failed \(ECONNREFUSED\), 4 times in a row/)
        expect((await get('search?q=bread')).status).toBe(200)
      } finally {
        await served.stop()
        await s3.server.kill()
        await s3.server.restart()
      }
    })

    async function done(args: readonly string[]) {
      const ended = await command(args)
      expect(ended.exitCode, `${args.join(' ')}: ${ended.stderr}`).toBe(0)
      return ended
    }
  },
)

const FLAGS = ['--delay', '0', '--email', 'test@localhost']
