import { DOUBLE, VARCHAR } from '@duckdb/node-api'
import { statusCode } from '../../../domain/crawldb/crawl-status.ts'
import { essentialUrl, isIgnored } from '../../../domain/novelty/ignored-parameter.ts'
import { NoveltyBudget } from '../../../domain/novelty/novelty-budget.ts'
import type { NoveltyRules } from '../../../domain/novelty/novelty-rules.ts'
import { patternHost } from '../../../domain/novelty/url-pattern.ts'
import { hostOf } from '../../../domain/url/host-of.ts'
import { type Session, sqlList } from '../session.ts'
import { MIN_HOST_URLS, NoveltyState, readParameters } from './novelty-state.ts'

/** Decides about the due URLs of one fetch list, and keeps the counts of those that are held back. */
export class NoveltyGate {
  readonly #state: NoveltyState
  readonly #budget: NoveltyBudget
  /** Large hosts. */
  readonly #hosts: ReadonlySet<string>
  readonly #ignored: ReadonlySet<string>
  /** Essential URLs of pages that were fetched or are on a list, on hosts with ignored parameters. */
  readonly #essentials = new Set<string>()
  readonly #heldBySlot = new Map<string, number>()
  #held = 0

  private constructor(
    state: NoveltyState,
    budget: NoveltyBudget,
    ignored: ReadonlySet<string>,
    hosts: ReadonlySet<string>,
  ) {
    this.#state = state
    this.#budget = budget
    this.#ignored = ignored
    this.#hosts = hosts
  }

  static async open(session: Session, rules: NoveltyRules, now: number): Promise<NoveltyGate> {
    const state = await NoveltyState.load(session)
    const budget = new NoveltyBudget(
      { patterns: state.evidence, hosts: state.hosts() },
      rules.limits,
      now,
      rules.rule,
    )
    const parameters = rules.ignoreParameters ? await readParameters(session) : []
    const ignored = new Set(parameters.filter(isIgnored).map(({ slot }) => slot))
    const hosts = await session.all<{ host: string }>(`
      SELECT host FROM hosts
      WHERE id IN (SELECT host_id FROM urls GROUP BY host_id HAVING count(*) >= ${MIN_HOST_URLS})`)
    const gate = new NoveltyGate(state, budget, ignored, new Set(hosts.map(({ host }) => host)))
    await session.run(
      `CREATE TEMP TABLE pending_urls AS SELECT url FROM urls WHERE generated_in IS NOT NULL AND status = ${UNFETCHED}`,
    )
    for await (const batch of session.batches<{ url: string }>('pending_urls'))
      for (const { url } of batch) budget.addPending(state.patterns.patternOf(url))
    await session.run('DROP TABLE pending_urls')
    await gate.#readEssentials(session)
    return gate
  }

  async #readEssentials(session: Session): Promise<void> {
    if (this.#ignored.size === 0) return
    const hosts = [...new Set(Array.from(this.#ignored, patternHost))]
    await session.run(`
      CREATE TEMP TABLE known_urls AS
      SELECT url FROM urls
      WHERE host_id IN (SELECT id FROM hosts WHERE host IN (SELECT unnest(${sqlList(hosts)})))
        AND (status <> ${UNFETCHED} OR generated_in IS NOT NULL)`)
    for await (const batch of session.batches<{ url: string }>('known_urls'))
      for (const { url } of batch) this.#essentials.add(this.#essential(url).url)
    await session.run('DROP TABLE known_urls')
  }

  #essential(url: string): ReturnType<typeof essentialUrl> {
    const [place = ''] = this.#state.patterns.patternOf(url).split('?', 1)
    return essentialUrl(url, place, this.#ignored)
  }

  /** Whether another URL that differs in ignored parameters alone was fetched or is on a list. */
  #isVariant(url: string): boolean {
    if (this.#ignored.size === 0 || !url.includes('?')) return false
    const { url: essential, slot } = this.#essential(url)
    if (slot === undefined) return false
    if (!this.#essentials.has(essential)) {
      this.#essentials.add(essential)
      return false
    }
    this.#heldBySlot.set(slot, (this.#heldBySlot.get(slot) ?? 0) + 1)
    return true
  }

  /** Number of URLs that were held back. */
  get held(): number {
    return this.#held
  }

  /** Whether the list may have this URL. Only URLs that were never fetched are held back. */
  admits(url: string, status: number, retries: number): boolean {
    if (status !== UNFETCHED || retries > 0) return true
    const pattern = this.#state.patterns.patternOf(url)
    if (!this.#hosts.has(hostOf(url))) return true
    const isAdmitted = !this.#isVariant(url) && this.#budget.admits(pattern)
    if (!isAdmitted) this.#held++
    return isAdmitted
  }

  /** Keeps how many URLs of each pattern are held back now. `write` belongs in a transaction. */
  async save(session: Session, now: number): Promise<{ write(): Promise<void> }> {
    const patterns = new Set(this.#budget.held.keys())
    for (const { pattern } of this.#state.evidence) patterns.add(pattern)
    for (const pattern of patterns) {
      const one = this.#state.evidenceOf(pattern)
      const held = this.#budget.held.get(pattern) ?? 0
      const exploredAt = this.#budget.explored.has(pattern) ? now : one.exploredAt
      if (held !== one.held || exploredAt !== one.exploredAt) this.#state.set({ ...one, held, exploredAt })
    }
    const saved = await this.#state.save(session)
    const slots = await session.stage('held_slots', { slot: VARCHAR, held: DOUBLE })
    for (const [slot, held] of this.#heldBySlot) slots.add(slot, held)
    slots.close()
    return {
      async write() {
        await saved.write()
        await session.run(`
          UPDATE novelty_parameters SET held = 0 WHERE held > 0;
          UPDATE novelty_parameters SET held = h.held::UINTEGER FROM held_slots h WHERE h.slot = novelty_parameters.slot`)
      },
    }
  }
}

const UNFETCHED = statusCode('db_unfetched')
