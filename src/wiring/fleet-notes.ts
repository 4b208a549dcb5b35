import {
  type FleetNotes,
  parseFleetNotes,
  readFleetNotes,
  writeFleetNotes,
} from '../adapters/crawl-directory/fleet-file.ts'
import type { ObjectStore } from '../domain/object-store/object-store.ts'

/** Next to the segments in an object store: the same as in the crawl directory, for workers that do not see it. */
const KEY = '_fleet.json'

/** What the process that offers fetch lists has stored for its workers; `undefined`: it has not offered one yet. */
export async function findFleetNotes(
  dir: string,
  store: ObjectStore | undefined,
): Promise<FleetNotes | undefined> {
  if (store === undefined) return readFleetNotes(dir)
  const bytes = await store.get(KEY)
  return bytes === undefined
    ? undefined
    : parseFleetNotes(new TextDecoder().decode(bytes), `${store.url}/${KEY}`)
}

/** Stores them in the crawl directory and, if its segments are elsewhere, next to those. */
export async function shareFleetNotes(
  dir: string,
  store: ObjectStore | undefined,
  notes: Omit<FleetNotes, 'id'>,
): Promise<FleetNotes> {
  const all = await writeFleetNotes(dir, notes)
  await store?.put(KEY, new TextEncoder().encode(JSON.stringify(all)))
  return all
}
