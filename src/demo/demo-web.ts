import { type Clock, steadyClock } from '../base/clock.ts'
import type { DemoHit } from './demo-hit.ts'
import { DemoServer } from './demo-server.ts'
import type { DemoSite, SiteName, Target } from './demo-site.ts'
import { placeOf, type Reachable, reachable } from './reachable.ts'
import { bakery } from './sites/bakery.ts'
import { courier } from './sites/courier.ts'
import { home } from './sites/home.ts'
import { manual } from './sites/manual.ts'
import { orb } from './sites/orb.ts'
import { photos } from './sites/photos.ts'

export interface DemoWebOptions {
  /** Of the sites that have an address to themselves. @default any that is free */
  readonly port?: number
  /**
   * Loopback addresses, dealt to the sites in turn; where there are fewer than sites, the others get ports of their own. By default
   * 127.0.0.1 to 127.0.0.6, or 127.0.0.1 alone where the machine has no more, as macOS.
   */
  readonly addresses?: readonly string[]
  /** @default steadyClock */
  readonly clock?: Clock
}

/** What a polite crawler asks for, and the status of the first response. */
export interface ExpectedUrl {
  readonly url: string
  readonly status: number
}

const SITES: readonly DemoSite[] = [orb, bakery, courier, manual, photos, home]
const ADDRESSES = SITES.map((_, i) => `127.0.0.${i + 1}`)
/** How often another port is tried when one is free on one address and taken on the next. */
const MAX_ATTEMPTS = 5

/** Starts the demo web. Whoever starts it closes it. */
export async function startDemoWeb(options: DemoWebOptions = {}): Promise<DemoWeb> {
  const { port = 0, addresses = ADDRESSES, clock = steadyClock } = options
  for (let attempt = 1; ; attempt++) {
    const web = new DemoWeb(clock)
    try {
      await web.listen(addresses, port)
      return web
    } catch (error) {
      await web.close()
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EADDRNOTAVAIL' && options.addresses === undefined)
        return startDemoWeb({ ...options, addresses: ADDRESSES.slice(0, 1) })
      if (code !== 'EADDRINUSE' || port !== 0 || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/**
 * A small web on loopback: six sites that link to one another, with robots.txt, sitemap and feed, redirects, errors, duplicates and
 * traps. What is in it is the same every time, but for the addresses.
 */
export class DemoWeb {
  readonly #hits: DemoHit[] = []
  readonly #servers: ReadonlyMap<SiteName, DemoServer>

  /** @internal Called by `startDemoWeb`. */
  constructor(clock: Clock) {
    const addressOf = (target: Target, from: DemoSite) => this.#urlOf(target, from)
    const onHit = (hit: DemoHit) => this.#hits.push(hit)
    this.#servers = new Map(SITES.map((site) => [site.name, new DemoServer(site, clock, addressOf, onHit)]))
  }

  /** `http://127.0.0.1:8080` and so on, one for each site. */
  get hosts(): string[] {
    return [...this.#servers.values()].map(({ origin }) => origin)
  }

  /** The front pages of all sites. */
  get seeds(): string[] {
    return this.hosts.map((origin) => `${origin}/`)
  }

  /** Everything a polite crawler with the default rules asks for when it starts from the seeds, robots.txt files aside; sorted. */
  get expected(): ExpectedUrl[] {
    const sites = new Map(SITES.map((site) => [site.name, site]))
    const toUrl = ({ site, path, status }: Reachable) => ({ url: this.url(site, path), status })
    return reachable(sites)
      .map(toUrl)
      .sort((a, b) => (a.url < b.url ? -1 : 1))
  }

  /** The expected URLs that have content, at the first try; sorted. */
  get pages(): string[] {
    return this.expected.filter(({ status }) => status === 200).map(({ url }) => url)
  }

  /** Every request so far, robots.txt included, in order. */
  get hits(): readonly DemoHit[] {
    return this.#hits
  }

  url(site: SiteName, path: string): string {
    return `${this.#servers.get(site)?.origin}${path}`
  }

  /** @internal Called once, by `startDemoWeb`. */
  async listen(addresses: readonly string[], port: number): Promise<void> {
    let common = port
    for (const [i, server] of [...this.#servers.values()].entries()) {
      const address = addresses[i % addresses.length] ?? '127.0.0.1'
      await server.listen(address, i < addresses.length ? common : 0)
      if (i === 0) common = Number(new URL(server.origin).port)
    }
  }

  /** Cuts every connection and stops listening. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()))
  }

  /** Links to the same site are written without their host, as sites do. */
  #urlOf(target: Target, from: DemoSite): string {
    const { site } = placeOf(target, from.name)
    const rest = target.slice(target.indexOf('/'))
    return site === from.name ? rest : this.url(site, rest)
  }
}
