import type { HostDelays } from '../../domain/frontier/fleet.ts'
import type { JobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'

/** The delays of hosts that an operator set for all workers of a crawl. */
export async function storedHostDelays(
  connection: RedisConnection,
  shards: readonly JobKeys[],
): Promise<HostDelays> {
  const replies = await Promise.all(
    shards.map(({ base }) => connection.run(SCRIPTS.readHostDelays, [base], [])),
  )
  return new Map(replies.flatMap((reply) => [...readHostDelays(reply)]))
}

/** @param reply host, delay, …; any program may have written them: a value that is not a delay is skipped */
export function readHostDelays(reply: unknown): HostDelays {
  const delays = new Map<string, number>()
  const values = Array.isArray(reply) ? reply.map(String) : []
  for (let i = 0; i + 1 < values.length; i += 2) {
    const [host = '', ms = ''] = values.slice(i, i + 2)
    if (/^\d{1,9}(\.\d+)?$/.test(ms)) delays.set(host, Number(ms))
  }
  return delays
}
