import { steadyClock } from '../../src/base/clock.ts'
import { Judge } from '../judge.ts'
import { ExampleServer } from './example-server.ts'
import type { ExampleSite } from './example-site.ts'

/** Sites on loopback, each at an address of its own from 127.0.0.1 up (more than one needs Linux), watched by one judge. */
export class ExampleWeb<Name extends string> {
  readonly judge = new Judge(steadyClock)
  readonly #servers: ReadonlyMap<Name, ExampleServer>

  private constructor(sites: Readonly<Record<Name, ExampleSite>>) {
    const names = Object.keys(sites) as Name[]
    this.#servers = new Map(names.map((name) => [name, new ExampleServer(sites[name], this.judge)]))
  }

  /** The caller closes it. */
  static async start<Name extends string>(
    sites: Readonly<Record<Name, ExampleSite>>,
  ): Promise<ExampleWeb<Name>> {
    const web = new ExampleWeb(sites)
    let number = 1
    for (const server of web.#servers.values()) await server.listen(`127.0.0.${number++}`)
    return web
  }

  /** The front page: `http://127.0.0.3:40123/`. */
  url(name: Name): string {
    const server = this.#servers.get(name)
    if (server === undefined) throw new Error(`there is no site ${name}`)
    return `${server.origin}/`
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()))
  }
}
