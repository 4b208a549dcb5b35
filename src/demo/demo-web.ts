import { type Clock, steadyClock } from '../base/clock.ts'
import { type DemoHit, DemoServer } from './demo-server.ts'
import type { DemoSite, SiteName, Target } from './demo-site.ts'
import { placeOf, type Reachable, reachable } from './reachable.ts'
import { bakery } from './sites/bakery.ts'
import { courier } from './sites/courier.ts'
import { home } from './sites/home.ts'
import { manual } from './sites/manual.ts'
import { orb } from './sites/orb.ts'
import { photos } from './sites/photos.ts'

export interface DemoWebOptions {
  /** Port of the sites that have their own address. @default a free port */
  readonly port?: number
  /**
   * Loopback addresses of the sites. If there are fewer addresses than sites, sites share addresses and have different ports. By default
   * 127.0.0.1 to 127.0.0.6, or only 127.0.0.1 on machines without the others, such as macOS.
   */
  readonly addresses?: readonly string[]
  /** @default steadyClock */
  readonly clock?: Clock
}

/** A URL that a polite crawler requests, and the status of the first response. */
export interface ExpectedUrl {
  readonly url: string
  readonly status: number
}

const SITES: readonly DemoSite[] = [orb, bakery, courier, manual, photos, home]
const ADDRESSES = SITES.map((_, i) => `127.0.0.${i + 1}`)
/** Attempts to find a port that is free on all addresses. */
const MAX_ATTEMPTS = 5

/** Starts the demo web. The caller closes it. */
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
 * Six small sites on loopback that link to each other, with robots.txt, sitemap and feed, redirects, errors, duplicates and
 * traps. The content is always the same, except for the addresses.
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

  /** The origin of each site, such as `http://127.0.0.1:8080`. */
  get hosts(): string[] {
    return [...this.#servers.values()].map(({ origin }) => origin)
  }

  /** The front pages of all sites. */
  get seeds(): string[] {
    return this.hosts.map((origin) => `${origin}/`)
  }

  /** Every URL that a polite crawler with the default rules requests from these seeds, without robots.txt; sorted. */
  get expected(): ExpectedUrl[] {
    const sites = new Map(SITES.map((site) => [site.name, site]))
    const toUrl = ({ site, path, status }: Reachable) => ({ url: this.url(site, path), status })
    return reachable(sites)
      .map(toUrl)
      .sort((a, b) => (a.url < b.url ? -1 : 1))
  }

  /** The expected URLs whose first response is 200; sorted. */
  get pages(): string[] {
    return this.expected.filter(({ status }) => status === 200).map(({ url }) => url)
  }

  /** All requests so far, including robots.txt, in order. */
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

  /** Closes all connections and stops listening. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()))
  }

  /** Links within a site are relative. */
  #urlOf(target: Target, from: DemoSite): string {
    const { site } = placeOf(target, from.name)
    const path = target.slice(target.indexOf('/'))
    return site === from.name ? path : this.url(site, path)
  }
}
