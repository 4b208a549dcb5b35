import { appendAll } from '../../base/append-all.ts'
import type { HostLease } from '../../domain/frontier/frontier.ts'
import type { HostCookies } from '../../domain/frontier/host-cookies.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import { batches } from './batches.ts'
import type { Job } from './job.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { cookieText, readCookies } from './stored-cookies.ts'
import { numberIn } from './stored-request.ts'
import type { WorkerSession } from './worker-session.ts'

/** The pages and the cookies of hosts, which go with a host from worker to worker. Only the owner of a host changes them. */
export class HostRecords {
  readonly #job: Job
  readonly #session: WorkerSession
  readonly #countsPages: boolean
  /** Those of this worker. `undefined`: it has none. */
  cookies: HostCookies | undefined

  /** @param countsPages whether the pages of hosts are read */
  constructor(job: Job, session: WorkerSession, countsPages: boolean) {
    this.#job = job
    this.#session = session
    this.#countsPages = countsPages
  }

  /** The leases with the pages of their hosts. Restores the cookies of hosts that other workers may have had. */
  async read(leases: readonly HostLease[], max: number): Promise<readonly HostLease[]> {
    const all: HostLease[] = []
    for (let i = 0; i < leases.length; i += max)
      appendAll(all, await this.#readSome(leases.slice(i, i + max)))
    return all
  }

  async #readSome(leases: readonly HostLease[]): Promise<readonly HostLease[]> {
    const counted = this.#countsPages ? leases.map(hostsOf) : []
    const moved = this.cookies === undefined ? [] : leases.filter(({ isNew }) => isNew)
    const hosts = [...new Set(counted.flat())]
    if (hosts.length + moved.length === 0) return leases
    const args = [String(hosts.length), ...hosts, ...moved.map(({ host }) => host)] as const
    const reply = (await this.#job.run(SCRIPTS.readHosts, {}, args)) as unknown[]
    for (const [i, { host }] of moved.entries())
      this.cookies?.restore(host, readCookies(String(reply[hosts.length + i])))
    if (!this.#countsPages) return leases
    const pages = new Map(hosts.map((host, i) => [host, numberIn(reply[i])]))
    return leases.map((lease, i) => ({
      ...lease,
      pages: new Map(counted[i]?.map((host) => [host, pages.get(host) ?? 0])),
    }))
  }

  /** Stores changed cookies of hosts. Before results are: a page that is settled, such as a login, is not fetched again. */
  async keepCookies(hosts: Iterable<string>, fence: string | undefined, max: number): Promise<void> {
    const changed = [...new Set(hosts)].flatMap((host) => {
      const cookies = this.cookies?.changed(host)
      return cookies === undefined ? [] : [[host, cookieText(cookies)]]
    })
    for (const part of batches(changed, max))
      await this.#session.call(SCRIPTS.keepCookies, part.flat(), fence)
  }
}

/** The hosts of its requests: several, if hosts of one domain share a queue. */
function hostsOf({ requests }: HostLease): string[] {
  return [...new Set(requests.map(({ request }) => hostOf(request.url)))]
}
