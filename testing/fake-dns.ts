import { isIP } from 'node:net'
import type { Resolution } from '../src/adapters/http/resolve.ts'

/** What one lookup gets: addresses, "no such name", a failure of the name server, or nothing at all. */
export type FakeDnsResponse = readonly string[] | 'not-found' | 'failed' | 'silence'

/**
 * A name server under the test's control. Every name ending in `.test` gets one of `addresses`, dealt out in the order in which names are
 * first seen; other names do not exist; both until the test says otherwise. No response may be kept: every time to live is 0.
 */
export class FakeDns {
  readonly #addresses: readonly string[]
  readonly #dealt = new Map<string, string>()
  readonly #set = new Map<string, FakeDnsResponse[]>()
  readonly #lookups: string[] = []

  constructor(addresses: readonly string[] = ['127.0.0.1']) {
    this.#addresses = addresses
  }

  /** Every name that was looked up, in order. */
  get lookups(): readonly string[] {
    return this.#lookups
  }

  /** Results of the lookups of `name`, one after the other; the last is repeated. Two different ones are a rebinding. */
  set(name: string, ...responses: readonly FakeDnsResponse[]): void {
    this.#set.set(name, [...responses])
  }

  /** A function, so that it can be handed over by itself. */
  readonly resolve = async (name: string): Promise<Resolution> => {
    this.#lookups.push(name)
    const response = this.#response(name)
    if (response === 'silence') return new Promise(() => {})
    if (typeof response === 'string')
      return { ok: false, reason: response, detail: `${name} is ${response} here` }
    return {
      ok: true,
      ttlMs: 0,
      addresses: response.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 })),
    }
  }

  #response(name: string): FakeDnsResponse {
    const responses = this.#set.get(name)
    const response = responses && responses.length > 1 ? responses.shift() : responses?.[0]
    if (response !== undefined) return response
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
