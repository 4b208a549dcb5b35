import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'
import { makeOldCrawlDirectory } from '../../../testing/old-crawl-directory.ts'
import { defaultRules } from '../../../testing/rule-sets.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import {
  CrawlDirectoryLocked,
  CrawlDirectoryMissing,
  DatabaseUnreadable,
} from '../crawl-directory/crawl-directory-error.ts'
import { type CrawlDirectory, openCrawlDirectory } from './open-crawl-directory.ts'
import { openCrawlDirectoryToRead } from './open-crawl-directory-to-read.ts'

const OPTIONS = { command: 'readdb', memoryMb: 256, threads: 1 }
const A = 'http://a.test/'

describe('openCrawlDirectory', () => {
  let crawl: TestCrawl
  beforeEach(async () => {
    crawl = await TestCrawl.create()
  })
  afterEach(() => crawl.remove())

  it('creates missing files, and holds the lock until it is closed', async () => {
    const path = join(crawl.path, 'new')
    const directory = await openCrawlDirectory(path, OPTIONS)
    expect(await readdir(path)).toEqual(expect.arrayContaining(['crawldb.duckdb', 'lock', 'segments']))
    await expect(openCrawlDirectory(path, OPTIONS)).rejects.toThrow(CrawlDirectoryLocked)
    await directory.close()
    expect(await readdir(path)).not.toContain('lock')
    await (await openCrawlDirectory(path, OPTIONS)).close()
  })

  it('renames a fetch list if the killed generate had committed', async () => {
    await crawl.inject([A])
    await crawl.generate()
    const [name = ''] = await readdir(crawl.directory.segmentsPath)
    await rename(crawl.segmentPath(name), crawl.segmentPath(`.${name}.tmp`))
    await crawl.reopen()
    expect(await readdir(crawl.directory.segmentsPath)).toEqual([name])
  })

  it('deletes a fetch list that the database does not know', async () => {
    await mkdir(crawl.segmentPath('.20270115080000.tmp/crawl_generate'), { recursive: true })
    await mkdir(crawl.segmentPath('20200101000000'))
    await crawl.reopen()
    expect(await readdir(crawl.directory.segmentsPath)).toEqual(['20200101000000'])
  })

  it('deletes the temporary files of a killed process', async () => {
    await crawl.directory.close()
    mkdirSync(join(crawl.path, '.tmp'))
    writeFileSync(join(crawl.path, '.tmp', 'duckdb_temp_storage-0.tmp'), 'x')
    writeFileSync(join(crawl.path, 'hosts.json.tmp'), '{')
    crawl.directory = await openCrawlDirectory(crawl.path, OPTIONS)
    expect((await readdir(crawl.path)).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('is consistent after a process was killed in the middle of a change', async () => {
    await crawl.inject([A])
    await crawl.directory.close()
    const script = `
      import { openCrawlDirectory } from ${JSON.stringify(join(import.meta.dirname, 'open-crawl-directory.ts'))}
      import { defaultRules } from ${JSON.stringify(join(import.meta.dirname, '../../../testing/rule-sets.ts'))}
      const { db } = await openCrawlDirectory(${JSON.stringify(crawl.path)}, { command: 'inject', memoryMb: 256 })
      await db.inject((async function* () { yield [{ url: 'http://b.test/', metadata: {} }] })(), defaultRules, 1)
      await db.inject((async function* () {
        yield [{ url: 'http://c.test/', metadata: {} }]
        process.kill(process.pid, 'SIGKILL')
      })(), defaultRules, 1)`
    const killed = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
      encoding: 'utf8',
    })
    expect(killed.signal, killed.stderr).toBe('SIGKILL')
    expect(await readdir(crawl.path)).toContain('lock')
    const reader = await openCrawlDirectoryToRead(crawl.path, OPTIONS)
    expect((await reader.db.stats()).total).toBe(2)
    await reader.close()
    crawl.directory = await openCrawlDirectory(crawl.path, OPTIONS)
    expect((await crawl.db.stats()).total).toBe(2)
  })
})

describe('openCrawlDirectoryToRead', () => {
  let crawl: TestCrawl
  beforeEach(async () => {
    crawl = await TestCrawl.create()
    await crawl.inject([A])
  })
  afterEach(() => crawl.remove())

  it('lets several processes read, and change nothing', async () => {
    await crawl.directory.close()
    const first = await openCrawlDirectoryToRead(crawl.path, OPTIONS)
    expect(await first.db.find(A)).toMatchObject({ url: A })
    await expect(first.db.abandon('20270115080000')).rejects.toThrow(/read-only/)
    await first.close()
    await crawl.reopen()
  })

  describe('sql', () => {
    let reading: CrawlDirectory
    beforeEach(async () => {
      await crawl.directory.close()
      reading = await openCrawlDirectoryToRead(crawl.path, OPTIONS)
    })
    afterEach(async () => {
      await reading.close()
      await crawl.reopen()
    })

    it.each([
      "SELECT * FROM read_csv('/etc/passwd')",
      "SELECT content FROM read_text('/etc/passwd')",
      "FROM read_blob('/etc/passwd')",
      "FROM read_json('/etc/passwd')",
      "FROM read_parquet('/etc/passwd')",
      "FROM glob('/etc/*')",
      "FROM sniff_csv('/etc/passwd')",
      "FROM parquet_metadata('/etc/passwd')",
      "FROM query('FROM read_text(''/etc/passwd'')')",
      "EXPLAIN ANALYZE COPY urls TO '/tmp/orbweaver-x.csv'",
      "FROM read_csv('http://127.0.0.1:9/x')",
      "FROM read_csv('s3://bucket/x')",
      "FROM sqlite_scan('a.db', 'b')",
    ])('cannot leave the database by %j', async (query) => {
      await expect(reading.reader.sql(query)).rejects.toThrow(
        /a query can read the tables of this crawl only, not files, the network or extensions/,
      )
    })

    it.each([
      "ATTACH '/tmp/orbweaver-x.duckdb'",
      "COPY urls TO '/tmp/orbweaver-x.csv'",
      "EXPORT DATABASE '/tmp/orbweaver-x'",
      'INSTALL httpfs',
      'LOAD httpfs',
      'SET enable_external_access = true',
      'PRAGMA enable_external_access = true',
      'CREATE TEMP TABLE x AS SELECT 1',
      'CALL pragma_version()',
    ])('refuses %j with one clear line', async (query) => {
      await expect(reading.reader.sql(query)).rejects.toThrow(ConfigurationError)
    })

    it.each(["FROM '/etc/passwd'", "SELECT getenv('HOME')"])('knows nothing of %j', async (query) => {
      await expect(reading.reader.sql(query)).rejects.toThrow(/does not exist/)
    })
  })

  it('names the process that holds the lock and has no control socket', () => {
    rmSync(join(crawl.path, '.control'), { recursive: true })
    // DuckDB lets one process open a file twice: the reader must be another one.
    const script = `
      import { openCrawlDirectoryToRead } from ${JSON.stringify(join(import.meta.dirname, 'open-crawl-directory-to-read.ts'))}
      await openCrawlDirectoryToRead(${JSON.stringify(crawl.path)}, { command: 'readdb', ownerWaitMs: 0 }).catch((error) => console.log(error.code, error.message))`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
      encoding: 'utf8',
    })
    expect(stdout).toMatch(new RegExp(`^CRAWL_DIRECTORY_LOCKED .*pid ${process.pid} .*running "test"`))
  })

  it('never opens the files a second time in the process that owns them', async () => {
    rmSync(join(crawl.path, '.control'), { recursive: true })
    await expect(openCrawlDirectoryToRead(crawl.path, { ...OPTIONS, ownerWaitMs: 0 })).rejects.toThrow(
      CrawlDirectoryLocked,
    )
  })

  it('says that there is no crawl', async () => {
    await expect(openCrawlDirectoryToRead(join(crawl.path, 'nowhere'), OPTIONS)).rejects.toThrow(
      CrawlDirectoryMissing,
    )
  })
})

describe('a database of version 0.1', () => {
  let path: string
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'orbweaver-'))
    await makeOldCrawlDirectory(path)
  })
  afterEach(() => rm(path, { recursive: true, force: true }))

  it.each([
    ['to be changed', openCrawlDirectory],
    ['to be read', openCrawlDirectoryToRead],
  ])('is brought up to date when it is opened %s', async (_, open) => {
    for (const again of [open, open]) {
      const { db, reader, close } = await again(path, OPTIONS)
      expect(await db.find('http://a.test/1')).toMatchObject({
        status: 'db_fetched',
        metadata: { tag: 'x' },
        lastOutcome: undefined,
      })
      expect((await db.stats()).outcomes).toEqual({})
      const sql =
        'SELECT url, http_status, protocol_status, host_not_before FROM crawldb ORDER BY url LIMIT 1'
      expect((await reader.sql(sql)).rows).toEqual([['http://a.test/1', null, null, null]])
      await close()
    }
  })

  it('works through a whole cycle', async () => {
    const crawl = await openCrawlDirectory(path, OPTIONS)
    const { schedule, scoring } = defaultRules
    const now = 1_795_000_000_000
    const { segments } = await crawl.db.generate({
      ...{ now, scoring },
      maxIntervalSeconds: schedule.maxIntervalSeconds,
    })
    expect(segments).toMatchObject([{ urls: 1 }])
    await crawl.db.update({ segments: [], rules: defaultRules, now })
    await crawl.close()
  })
})

describe('a database that cannot be used', () => {
  let path: string
  let file: string
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'orbweaver-'))
    file = join(path, 'crawldb.duckdb')
  })
  afterEach(() => rm(path, { recursive: true, force: true }))

  async function refused(): Promise<void> {
    const before = readFileSync(file)
    for (const open of [openCrawlDirectory, openCrawlDirectoryToRead]) {
      await expect(open(path, OPTIONS)).rejects.toThrow(DatabaseUnreadable)
      await expect(open(path, OPTIONS)).rejects.toThrow(file)
    }
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(await readdir(path)).not.toContain('lock')
  }

  it('is refused when it is not a database', async () => {
    writeFileSync(file, 'this is not a database '.repeat(1000))
    await refused()
  })

  it('is refused when it is damaged', async () => {
    await (await openCrawlDirectory(path, OPTIONS)).close()
    const bytes = readFileSync(file)
    bytes.fill(0x55, 4096, 4096 * 4)
    writeFileSync(file, bytes)
    await refused()
  })

  it('is refused when a newer program wrote it', async () => {
    await (await openCrawlDirectory(path, OPTIONS)).close()
    const instance = await DuckDBInstance.create(file)
    const connection = await instance.connect()
    await connection.run(`UPDATE meta SET value = '99' WHERE key = 'schema_version'`)
    connection.disconnectSync()
    instance.closeSync()
    await refused()
    await expect(openCrawlDirectory(path, OPTIONS)).rejects.toThrow(/schema version 99.*newer orbweaver/)
  })
})
