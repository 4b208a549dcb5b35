import { setTimeout as sleep } from 'node:timers/promises'

/** What the clients of an observed crawl received. */
export interface Observed {
  /** Server-sent events of the dashboard. */
  readonly events: number
  readonly scrapes: number
  readonly bytes: number
}

/**
 * Keeps the dashboard open and scrapes the metrics every second, from before the crawl starts until `signal` is aborted.
 * @param dashboard origin of the server of `--serve`
 * @param metrics URL of the metrics
 */
export async function observe(dashboard: string, metrics: string, signal: AbortSignal): Promise<Observed> {
  const counts = { events: 0, scrapes: 0, bytes: 0 }
  await Promise.all([
    everySecond(signal, async () => {
      counts.bytes += (await (await fetch(metrics, { signal })).arrayBuffer()).byteLength
      counts.scrapes++
    }),
    everySecond(signal, async () => {
      const { body } = await fetch(new URL('/api/live', dashboard), { signal })
      for await (const chunk of body ?? []) {
        counts.bytes += chunk.byteLength
        counts.events +=
          Buffer.from(chunk)
            .toString()
            .match(/^data:/gm)?.length ?? 0
      }
    }),
  ])
  return counts
}

/** Before the start and after the end of the crawl, requests fail. */
async function everySecond(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => {})
    await sleep(1_000, undefined, { signal }).catch(() => {})
  }
}
