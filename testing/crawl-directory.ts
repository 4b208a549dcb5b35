import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'
import type { Clock } from '../src/base/clock.ts'
import type { GenerateRequest, UpdateRequest } from '../src/domain/crawldb/crawl-db-requests.ts'
import type { InjectRules, Seed } from '../src/domain/crawldb/inject-record.ts'
import { FakeClock } from './fake-clock.ts'
import { openTestDirectory } from './open-test-directory.ts'
import { RULE_SETS, type RuleSet, type RuleSetName } from './rule-sets.ts'

/** The CrawlDb of a crawl directory and the ports next to it, which every engine implements. */
export type CrawlStores = Pick<
  CrawlDirectory,
  'segmentsPath' | 'db' | 'links' | 'reader' | 'indexLedger' | 'close'
>

/**
 * Opens the CrawlDb in the folder `path`, an empty one or one that was open before.
 * @param rules the rules of all calls until it is closed, also if these pass them as functions
 */
export type OpenStores<Stores extends CrawlStores = CrawlStores> = (
  path: string,
  rules: RuleSetName,
  clock: Clock,
) => Promise<Stores>

/** Opens a crawl directory with DuckDB, with one thread, as for every small database. */
export const openWithDuckDb: OpenStores<CrawlDirectory> = (path) =>
  openTestDirectory(path, { command: 'test', memoryMb: 256, threads: 1 })

/** A crawl directory of its own for one test. */
export class TestCrawl<Stores extends CrawlStores = CrawlDirectory> {
  readonly clock: FakeClock
  readonly path: string
  directory: Stores
  readonly #open: OpenStores<Stores>
  #rules: RuleSetName = 'default'

  private constructor(path: string, clock: FakeClock, open: OpenStores<Stores>, directory: Stores) {
    this.path = path
    this.clock = clock
    this.#open = open
    this.directory = directory
  }

  static create(): Promise<TestCrawl> {
    return TestCrawl.createWith(openWithDuckDb)
  }

  static async createWith<Stores extends CrawlStores>(open: OpenStores<Stores>): Promise<TestCrawl<Stores>> {
    const path = await mkdtemp(join(tmpdir(), 'orbweaver-'))
    const clock = new FakeClock()
    return new TestCrawl(path, clock, open, await open(path, 'default', clock))
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
    this.directory = await this.#open(this.path, this.#rules, this.clock)
  }

  /** Opens it again with other rules, as after a change of the configuration. */
  async useRules(rules: RuleSetName): Promise<void> {
    this.#rules = rules
    await this.reopen()
  }

  inject(seeds: readonly (string | Seed)[], rules: Partial<InjectRules> = {}) {
    const whole = seeds.map((seed) => (typeof seed === 'string' ? { url: seed, metadata: {} } : seed))
    return this.db.inject(batchesOf(whole), { ...this.#ruleSet.rules, ...rules }, this.clock.now())
  }

  generate(request: Partial<GenerateRequest> = {}) {
    const { rules, ...judge } = this.#ruleSet
    const { schedule, scoring } = rules
    const { maxIntervalSeconds } = schedule
    return this.db.generate({ now: this.clock.now(), maxIntervalSeconds, scoring, ...judge, ...request })
  }

  update(segments: readonly string[], request: Partial<UpdateRequest> = {}) {
    return this.db.update({ segments, ...this.#ruleSet, now: this.clock.now(), ...request })
  }

  get #ruleSet(): RuleSet {
    return RULE_SETS[this.#rules]
  }

  async remove(): Promise<void> {
    await this.directory.close()
    await rm(this.path, { recursive: true, force: true })
  }
}

async function* batchesOf(seeds: readonly Seed[]): AsyncGenerator<readonly Seed[]> {
  yield seeds
}
