import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'
import type { InjectRules, Seed } from '../src/domain/crawldb/inject-record.ts'
import type { UpdateRules } from '../src/domain/crawldb/update-record.ts'
import { createDefaultSchedule } from '../src/domain/schedule/default-schedule.ts'
import { createOpicScoring } from '../src/domain/scoring/opic-scoring.ts'
import { FakeClock } from './fake-clock.ts'
import { openTestDirectory } from './open-test-directory.ts'

/** The rules a crawl has by default. */
export const defaultRules: InjectRules & UpdateRules = {
  schedule: createDefaultSchedule(),
  scoring: createOpicScoring(),
}

/** A crawl directory of its own for one test. */
export class TestCrawl {
  readonly clock = new FakeClock()
  readonly path: string
  directory: CrawlDirectory

  private constructor(path: string, directory: CrawlDirectory) {
    this.path = path
    this.directory = directory
  }

  static async create(): Promise<TestCrawl> {
    const path = await mkdtemp(join(tmpdir(), 'orbweaver-'))
    return new TestCrawl(path, await openTestDirectory(path, OPTIONS))
  }

  get db() {
    return this.directory.db
  }

  segmentPath(name: string): string {
    return join(this.directory.segmentsPath, name)
  }

  /** Closes and opens it again, as the next command would. */
  async reopen(): Promise<void> {
    await this.directory.close()
    await this.reopenClosed()
  }

  /** Opens it again after `directory.close()`. */
  async reopenClosed(): Promise<void> {
    this.directory = await openTestDirectory(this.path, OPTIONS)
  }

  inject(seeds: readonly (string | Seed)[], rules: Partial<InjectRules> = {}) {
    const whole = seeds.map((seed) => (typeof seed === 'string' ? { url: seed, metadata: {} } : seed))
    return this.db.inject(batchesOf(whole), { ...defaultRules, ...rules }, this.clock.now())
  }

  generate(request: Partial<Parameters<CrawlDirectory['db']['generate']>[0]> = {}) {
    const { schedule, scoring } = defaultRules
    const { maxIntervalSeconds } = schedule
    return this.db.generate({ now: this.clock.now(), maxIntervalSeconds, scoring, ...request })
  }

  update(segments: readonly string[], request: Partial<Parameters<CrawlDirectory['db']['update']>[0]> = {}) {
    return this.db.update({ segments, rules: defaultRules, now: this.clock.now(), ...request })
  }

  async remove(): Promise<void> {
    await this.directory.close()
    await rm(this.path, { recursive: true, force: true })
  }
}

/** One thread, as for every small database. */
const OPTIONS = { command: 'test', memoryMb: 256, threads: 1 }

async function* batchesOf(seeds: readonly Seed[]): AsyncGenerator<readonly Seed[]> {
  yield seeds
}
