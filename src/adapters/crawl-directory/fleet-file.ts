import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { replaceFile } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'
import type { HostState } from '../../domain/politeness/host-throttle.ts'

/** Facts about a crawl directory for the workers of a fleet, which cannot open its database: only one process can. */
export interface FleetNotes {
  /** Identifies the crawl, independent of the path of the directory. */
  readonly id: string
  /** One URL for each host of a seed. */
  readonly seeds: readonly string[]
  /** Per-host throttle state at the end of the last process that fetched without a fleet. */
  readonly hosts: readonly HostState[]
}

/** `undefined`: no fleet has ever worked on this directory. @throws ConfigurationError when it cannot be understood */
export async function readFleetNotes(crawlDirectory: string): Promise<FleetNotes | undefined> {
  const file = fileIn(crawlDirectory)
  const text = await ifExists(readFile(file, 'utf8'))
  return text === undefined ? undefined : parseFleetNotes(text, file)
}

/** @param file where the text is from, for the error */
export function parseFleetNotes(text: string, file: string): FleetNotes {
  try {
    return fleetNotes.parse(JSON.parse(text)) as FleetNotes
  } catch (cause) {
    throw new ConfigurationError(
      'STATE_FILE_INVALID',
      `${file} cannot be read: ${(cause as Error).message}; remove it, and orbweaver fetch --redis writes it anew`,
      { cause },
    )
  }
}

/** The caller must hold the lock of the directory. The id stays. */
export async function writeFleetNotes(
  crawlDirectory: string,
  notes: Omit<FleetNotes, 'id'>,
): Promise<FleetNotes> {
  const { id } = (await readFleetNotes(crawlDirectory)) ?? { id: randomBytes(6).toString('hex') }
  const all = { id, ...notes }
  await replaceFile(fileIn(crawlDirectory), [JSON.stringify(all)])
  return all
}

function fileIn(crawlDirectory: string): string {
  return join(crawlDirectory, 'fleet.json')
}

const fleetNotes = z.object({
  id: z.string().regex(/^[0-9a-z]+$/),
  seeds: z.array(z.string()),
  hosts: z.array(
    z.object({
      key: z.string(),
      readyAt: z.number(),
      endedAt: z.number().exactOptional(),
      failures: z.number(),
      crawlDelayMs: z.number(),
      latencyMs: z.number(),
      parked: z.object({ until: z.number(), reason: z.string() }).exactOptional(),
    }),
  ),
})
