import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { replaceFile } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'
import type { JsonObject } from '../../base/json.ts'

/** A flag as it was given: `['--scope', 'domain']`, `['--cookies']`. Paths are absolute. Never a secret. */
export type StoredFlag = readonly [name: string, value?: string]

/** What a crawl directory remembers of the last `crawl` or `run`, so that the next one behaves the same without its flags. */
export interface StoredSettings {
  readonly command: 'crawl' | 'run'
  /** Of `run`: the name of the spider file, without its folder. */
  readonly spider?: string
  /** Flags that shape the crawl. */
  readonly flags: readonly StoredFlag[]
  /** The same as settings, for the commands that do not have these flags. */
  readonly settings: JsonObject
  /** Limits of a run that did not end by itself: its continuation has them, too. */
  readonly limits: readonly StoredFlag[]
  /** Counted by that run before it was interrupted. */
  readonly counted?: { readonly pages: number; readonly items: number }
  /** Names of flags whose values may be secrets. */
  readonly notStored: readonly string[]
}

/** `undefined`: the directory remembers nothing. @throws ConfigurationError for a damaged file, and for one of a newer version */
export async function readStoredSettings(crawlDirectory: string): Promise<StoredSettings | undefined> {
  const file = settingsFile(crawlDirectory)
  const text = await ifExists(readFile(file, 'utf8'))
  if (text === undefined) return undefined
  const found = parsed(text)
  const version = versionSchema.safeParse(found).data?.version
  if (version !== undefined && version > VERSION)
    throw new ConfigurationError(
      'STATE_FILE_INVALID',
      `${file} was written by a newer version of Orbweaver (format ${version}; this one reads ${VERSION}): update Orbweaver. ${WAY_OUT}`,
    )
  const checked = schema.safeParse(found)
  if (!checked.success)
    throw new ConfigurationError(
      'STATE_FILE_INVALID',
      `${file} is damaged: ${whatIsWrong(checked.error)}. ${WAY_OUT}`,
    )
  const { version: _, ...stored } = checked.data
  return stored as StoredSettings
}

/** The caller must hold the lock of the directory. */
export async function writeStoredSettings(crawlDirectory: string, stored: StoredSettings): Promise<void> {
  const text = JSON.stringify({ version: VERSION, ...stored }, undefined, 2)
  await replaceFile(settingsFile(crawlDirectory), [`${text}\n`])
}

export function settingsFile(crawlDirectory: string): string {
  return join(crawlDirectory, 'settings.json')
}

const VERSION = 1
const WAY_OUT =
  'Or delete the file: the crawl itself is not affected, but the flags of the last run must be given again'

/** `undefined` for text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function whatIsWrong({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join('.') ?? ''
  return path === '' ? 'it is not a JSON object' : `${path}: ${issue?.message}`
}

const versionSchema = z.object({ version: z.number() })
const flags = z.array(z.union([z.tuple([z.string()]), z.tuple([z.string(), z.string()])]))
const schema = z.object({
  version: z.literal(VERSION),
  command: z.enum(['crawl', 'run']),
  spider: z.string().exactOptional(),
  flags,
  settings: z.record(z.string(), z.json()),
  limits: flags,
  counted: z.object({ pages: z.number(), items: z.number() }).exactOptional(),
  notStored: z.array(z.string()),
})
