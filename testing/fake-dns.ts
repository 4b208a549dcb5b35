import { isIP } from 'node:net'
import type { Resolution } from '../src/adapters/http/resolve.ts'

/** What one lookup gets: addresses, "no such name", a failure of the name server, or nothing at all. */
export type FakeDnsAnswer = readonly string[] | 'not-found' | 'failed' | 'silence'

/**
 * A name server under the test's control. Every name ending in `.test` gets one of `addresses`, dealt out in the order in which names are
 * first seen; other names do not exist; both until the test says otherwise. No answer may be kept: every time to live is 0.
 */
export class FakeDns {
  readonly #addresses: readonly string[]
  readonly #dealt = new Map<string, string>()
  readonly #set = new Map<string, FakeDnsAnswer[]>()
  readonly #lookups: string[] = []

  constructor(addresses: readonly string[] = ['127.0.0.1']) {
    this.#addresses = addresses
  }

  /** Every name that was looked up, in order. */
  get lookups(): readonly string[] {
    return this.#lookups
  }

  /** Answers the lookups of `name` with these, one after the other; the last stays. Two different ones are a rebinding. */
  set(name: string, ...answers: readonly FakeDnsAnswer[]): void {
    this.#set.set(name, [...answers])
  }

  /** A function, so that it can be handed over by itself. */
  readonly resolve = async (name: string): Promise<Resolution> => {
    this.#lookups.push(name)
    const answer = this.#answer(name)
    if (answer === 'silence') return new Promise(() => {})
    if (typeof answer === 'string') return { ok: false, reason: answer, detail: `${name} is ${answer} here` }
    return {
      ok: true,
      ttlMs: 0,
      addresses: answer.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 })),
    }
  }

  #answer(name: string): FakeDnsAnswer {
    const answers = this.#set.get(name)
    const answer = answers && answers.length > 1 ? answers.shift() : answers?.[0]
    if (answer !== undefined) return answer
    return name.endsWith('.test') ? [this.#deal(name)] : 'not-found'
  }

  #deal(name: string): string {
    const known = this.#dealt.get(name)
    if (known !== undefined) return known
    const address = this.#addresses[this.#dealt.size % this.#addresses.length] ?? '127.0.0.1'
    this.#dealt.set(name, address)
    return address
  }
}
