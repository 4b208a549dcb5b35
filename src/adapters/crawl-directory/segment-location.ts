import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { replaceFile } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'

/**
 * The object store with the segments of a crawl directory, such as `s3://bucket/prefix`; `undefined`: they are in the directory.
 * @throws ConfigurationError when it cannot be understood
 */
export async function readSegmentLocation(crawlDirectory: string): Promise<string | undefined> {
  const file = fileIn(crawlDirectory)
  const text = await ifExists(readFile(file, 'utf8'))
  if (text === undefined) return undefined
  try {
    return schema.parse(JSON.parse(text)).segments
  } catch (cause) {
    throw new ConfigurationError(
      'STATE_FILE_INVALID',
      `${file} cannot be read: ${(cause as Error).message}; delete it, and give the place of the segments again with --segments s3://bucket/prefix`,
      { cause },
    )
  }
}

/** The caller must hold the lock of the directory, or create it. */
export async function writeSegmentLocation(crawlDirectory: string, segments: string): Promise<void> {
  await replaceFile(fileIn(crawlDirectory), [`${JSON.stringify({ segments })}\n`])
}

function fileIn(crawlDirectory: string): string {
  return join(crawlDirectory, 'segments.json')
}

const schema = z.object({ segments: z.string() })
