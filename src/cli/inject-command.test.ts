import { mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls } from '../../testing/command-line.ts'

let crawls: DemoCrawls
let dir: string
let runs = 0

beforeAll(async () => {
  crawls = await DemoCrawls.start()
})

beforeEach(() => {
  dir = crawls.path(`crawl-${++runs}`)
})

afterAll(() => crawls.close())

const LINES = [
  '\uFEFFhttp://a.test/\tnutch.score=2.5\tcolour=red\r',
  '# a comment\r',
  '\r',
  'http://b.test/\tfetchInterval=60',
  'http://a.test/#part',
  'ftp://c.test/',
  'nonsense',
  'http://d.test/\tscore=high',
  'http://e.test/picture.jpg',
]

describe('inject', () => {
  it('reads a file with BOM, CRLF, comments and items, and tells what it did not take', async () => {
    const file = crawls.path('seeds.txt')
    writeFileSync(file, LINES.join('\n'))
    const { exitCode, stdout } = await command(['inject', dir, file])
    expect(exitCode).toBe(0)
    expect(stdout).toContain(
      `3 new URLs in ${dir}; 1 repeated; rejected: 1 scheme, 1 unparsable, 1 filtered; 1 item left out`,
    )
    expect(stdout).toContain(`${file}:6  ftp://c.test/  ftp: is not http: or https:`)
    expect(await commandJson(['readdb', dir, '--url', 'http://a.test/'])).toMatchObject({
      score: 2.5,
      metadata: { colour: 'red' },
    })
    expect(await commandJson(['readdb', dir, '--url', 'http://b.test/'])).toMatchObject({ fetchInterval: 60 })
  })

  it('takes URLs, standard input and directories', async () => {
    const folder = crawls.path('seeds')
    mkdirSync(`${folder}/deeper`, { recursive: true })
    writeFileSync(`${folder}/one.txt`, 'http://one.test/\n')
    const { stdout, stderr } = await command(
      ['inject', dir, 'http://zero.test/', '-', folder],
      'http://two.test/\n',
    )
    expect(stdout).toBe(`3 new URLs in ${dir}\n`)
    expect(stderr).toContain('deeper is a subdirectory and is skipped')
  })

  it('leaves, updates or overwrites what it knows', async () => {
    await command(['inject', dir, '-'], 'http://a.test/\tscore=2\tx=1\n')
    const score = async (...flags: string[]) => {
      await command(['inject', dir, '-', ...flags], 'http://a.test/\tscore=7\ty=2\n')
      return commandJson(['readdb', dir, '--url', 'http://a.test/'])
    }
    expect(await score()).toMatchObject({ score: 2, metadata: { x: '1' } })
    expect(await score('--update')).toMatchObject({ score: 7, metadata: { x: '1', y: '2' } })
    expect((await score('--overwrite')) as object).toHaveProperty('metadata', { y: '2' })
  })

  it('takes a hundred thousand lines', async () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `http://h${i % 500}.test/${i}`)
    expect(await commandJson(['inject', dir, '-'], lines.join('\n'))).toMatchObject({
      injected: 100_000,
      merged: 0,
      repeated: 0,
      rejected: {},
    })
  })

  it('takes with --no-filter what the rules reject', async () => {
    const args = ['inject', dir, 'http://e.test/picture.jpg']
    expect(await commandJson(args)).toMatchObject({ injected: 0, rejected: { filtered: 1 } })
    expect(await commandJson([...args, '--no-filter'])).toMatchObject({ injected: 1 })
  })

  it('exits with 1 if no URL was given', async () => {
    expect(await command(['inject', dir, '-'], '# nothing\n')).toMatchObject({
      exitCode: 1,
      stdout: 'no URL was given\n',
    })
  })

  it('changes nothing when one of the seeds is not there', async () => {
    const { exitCode, stderr } = await command(['inject', dir, 'http://a.test/', 'example.org'])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^error: there is no example\.org: give a file, .*\n$/)
    expect(await command(['readdb', dir])).toMatchObject({ exitCode: 1, stdout: 'the CrawlDb is empty\n' })
  })

  it('refuses a file in place of a directory', async () => {
    writeFileSync(dir, '')
    expect(await command(['inject', dir, 'http://a.test/'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: ${dir} is a file; give a directory for the crawl\n`,
    })
  })
})
