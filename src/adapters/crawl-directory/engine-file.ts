import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { replaceFile } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'

/** Where and how the CrawlDb of a crawl directory runs on Spark: every later command does the same without its flags. */
export interface StoredEngine {
  readonly master?: string
  readonly submit?: string
  readonly node?: string
  readonly package?: string
  /** Address of the CrawlDb. */
  readonly crawldb?: string
}

export const ENGINE_FILE = 'engine.json'

/** `undefined`: the CrawlDb is not on Spark. @throws ConfigurationError for a damaged file */
export async function readStoredEngine(crawlDirectory: string): Promise<StoredEngine | undefined> {
  const file = join(crawlDirectory, ENGINE_FILE)
  const text = await ifExists(readFile(file, 'utf8'))
  if (text === undefined) return undefined
  try {
    return schema.parse(JSON.parse(text)).spark as StoredEngine
  } catch (error) {
    throw new ConfigurationError(
      'STATE_FILE_INVALID',
      `${file} is damaged: it must be {"version": 1, "spark": {…}}. Write {"version": 1, "spark": {}} to use the settings of the configuration`,
      { cause: error },
    )
  }
}

/** The caller must hold the lock of the directory. */
export async function writeStoredEngine(crawlDirectory: string, spark: StoredEngine): Promise<void> {
  const text = JSON.stringify({ version: 1, spark }, undefined, 2)
  await replaceFile(join(crawlDirectory, ENGINE_FILE), [`${text}\n`])
}

const text = z.string().exactOptional()
const schema = z.object({
  version: z.literal(1),
  spark: z.object({ master: text, submit: text, node: text, package: text, crawldb: text }),
})
