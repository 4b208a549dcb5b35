import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../testing/command-line.ts'
import { TestCrawl } from '../../testing/crawl-directory.ts'

let crawl: TestCrawl
let config: string
let marker: string

beforeAll(async () => {
  crawl = await TestCrawl.create()
  await crawl.inject(['http://a.test/'])
  await crawl.directory.close()
  marker = join(crawl.path, 'was-run')
  config = join(crawl.path, 'orbweaver.config.mjs')
  writeFileSync(
    config,
    `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(marker)}, ''); export default {}`,
  )
})
afterAll(async () => {
  await crawl.reopen()
  await crawl.remove()
})

describe('a crawl directory with code in it', () => {
  it.each([
    ['readdb'],
    ['readseg'],
    ['readlinkdb', '--url', 'http://a.test/'],
    ['explain', 'http://a.test/'],
    ['export', '--format', 'warc', '--out', '/dev/null'],
    ['items', '--out', '-'],
    ['failed'],
    ['doctor', '--offline'],
    ['doctor', '--offline', '--repair'],
    ['search', 'words'],
  ])('does not run it for %s', async (name, ...args) => {
    const { exitCode, stderr } = await command([name, crawl.path, ...args])
    expect(existsSync(marker)).toBe(false)
    expect(stderr).not.toContain('is code, and code is loaded only')
    expect(exitCode).not.toBe(3)
  })

  it.each([['inject', 'http://b.test/'], ['generate'], ['updatedb'], ['crawl', 'http://b.test/']])(
    'stops %s before anything is begun, with the remedy',
    async (name, ...args) => {
      const { exitCode, stderr } = await command([name, crawl.path, ...args])
      expect(existsSync(marker)).toBe(false)
      expect({ exitCode, stderr }).toEqual({
        exitCode: 2,
        stderr: `error: ${config} is code, and code is loaded only from the current directory. If you trust it, add --config ${config}; otherwise remove it\n`,
      })
    },
  )

  it('says which file was not loaded where its rules matter', async () => {
    const { stderr } = await command(['explain', crawl.path, 'http://a.test/'])
    expect(stderr).toContain(`note: ${config} was not loaded`)
  })

  it('runs what --config names', async () => {
    expect(await command(['readdb', crawl.path, '--config', config])).toMatchObject({ exitCode: 0 })
    expect(existsSync(marker)).toBe(true)
  })
})
