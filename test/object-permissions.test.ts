import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Finding } from '../src/wiring/doctor/finding.ts'
import { command, commandJson, DemoCrawls, QUICK } from '../testing/command-line.ts'
import { requireS3Server } from '../testing/require-s3-server.ts'
import { ALL_PERMISSIONS, type S3Permission } from '../testing/s3-users.ts'
import { useS3 } from '../testing/use-s3.ts'

const TIMEOUT_MS = 300_000

describe.runIf(requireS3Server())('a user with few permissions in a bucket', { timeout: TIMEOUT_MS }, () => {
  const s3 = useS3()
  let demo: DemoCrawls
  let folder: string
  let spider: string

  beforeAll(async () => {
    demo = await DemoCrawls.start()
    folder = mkdtempSync(join(tmpdir(), 'orbweaver-permissions-'))
    spider = join(folder, 'spider.ts')
    const library = join(import.meta.dirname, '../src/index.ts')
    writeFileSync(
      spider,
      `import { spider } from ${JSON.stringify(library)}
       export default spider({ name: 'titles', start: [${JSON.stringify(demo.web.url('bakery', '/'))}],
         *parse(page) { yield page.item({ title: page.css('title').text() }) } })`,
    )
  })
  afterAll(async () => {
    await demo.close()
    rmSync(folder, { recursive: true })
  })

  describe.each<[S3Permission, RegExp]>([
    ['s3:PutObject', /^error: s3:\/\/crawls\/\S+ cannot be put: .* Grant s3:PutObject on the bucket/],
    ['s3:ListBucket', /^error: s3:\/\/crawls\/\S+ cannot be listed: .* Grant s3:ListBucket on the bucket/],
  ])('without %s', (missing, line) => {
    const others = ALL_PERMISSIONS.filter((permission) => permission !== missing)

    it('gets one line before a spider runs, and its items once it is granted', async () => {
      const dir = join(folder, `spider-${missing.slice(3)}`)
      const object = `${s3.newPlace()}/items.jsonl`
      const args = ['run', spider, '--dir', dir, '--out', object, ...FLAGS]
      await expectRefused(args, others, line)
      await expectDone(args)
      expect(itemsIn(object)).toHaveLength(1)
      // Without the crawl directory, too.
      await expectRefused(['items', dir, '--out', `${s3.newPlace()}/items.csv`], others, line)
    })

    it('gets one line before a crawl starts, which leaves nothing', async () => {
      const dir = join(folder, `crawl-${missing.slice(3)}`)
      const seed = demo.web.url('bakery', '/')
      const args = ['crawl', dir, seed, '--rounds', '1', '--segments', s3.newPlace(), ...QUICK]
      await expectRefused(args, others, line)
      expect(existsSync(dir)).toBe(false)
      await expectDone(args)
      // A crawl whose rights are withdrawn later.
      await expectRefused(['crawl', dir, '--rounds', '1', ...QUICK], others, line)
      const { rounds } = await commandJson<{ rounds: number }>(['crawl', dir, '--rounds', '1', ...QUICK])
      expect(rounds).toBe(1)
      expect((await command(['doctor', dir, '--offline'])).exitCode).toBe(0)
    })
  })

  it('gets one line before an export that may take hours', async () => {
    const dir = await demo.crawl('exported')
    const line = /^error: s3:\/\/crawls\/\S+\/pages.jsonl cannot be put: .* Grant s3:PutObject on the bucket/
    const args = ['export', dir, '--out', `${s3.newPlace()}/pages.jsonl`]
    await expectRefused(args, ['s3:GetObject', 's3:ListBucket'], line)
    // An export needs no other permission.
    await as(['s3:PutObject'], () => expectDone(args))
  })

  it('reads a crawl, and learns from doctor what else is missing', async () => {
    const dir = join(folder, 'read')
    await expectDone([
      ...['crawl', dir, demo.web.url('bakery', '/'), '--rounds', '1', '--segments', s3.newPlace(), ...QUICK],
    ])
    rmSync(join(dir, 'segments'), { recursive: true })
    await as(['s3:GetObject', 's3:ListBucket'], async () => {
      await expectDone(['export', dir, '--out', join(folder, 'pages.jsonl')])
      expect(await storeFinding(dir)).toMatchObject({
        state: 'warning',
        message: expect.stringContaining('cannot be put'),
      })
    })
    await as(['s3:PutObject'], async () => {
      expect(await storeFinding(dir)).toMatchObject({
        state: 'problem',
        message: expect.stringContaining('cannot be listed'),
      })
    })
  })

  async function as<T>(permissions: readonly S3Permission[], work: () => Promise<T>): Promise<T> {
    const before = { ...process.env }
    Object.assign(process.env, await s3.server.users.set('guest', permissions))
    try {
      return await work()
    } finally {
      process.env = before
    }
  }

  async function expectRefused(args: readonly string[], permissions: readonly S3Permission[], line: RegExp) {
    const { exitCode, stdout, stderr } = await as(permissions, () => command(args))
    expect(exitCode).toBe(3)
    expect(stdout).toBe('')
    const lines = stderr.trim().split('\n')
    expect(lines.at(-1)).toMatch(line)
    expect(
      lines.filter((text) => text.includes('AccessDenied')),
      stderr,
    ).toHaveLength(1)
  }

  async function expectDone(args: readonly string[]): Promise<void> {
    const { exitCode, stderr } = await command(args)
    expect(exitCode, stderr).toBe(0)
  }

  async function storeFinding(dir: string) {
    const { findings } = await commandJson<{ findings: Finding[] }>(['doctor', dir, '--offline'])
    return findings.find(({ check }) => check === 'object store')
  }

  function itemsIn(object: string): string[] {
    const path = join(s3.server.folder, object.slice(`s3://${s3.server.bucket}/`.length))
    return readFileSync(path, 'utf8').trim().split('\n')
  }
})

const FLAGS = ['--delay', '0', '--email', 'test@localhost']
