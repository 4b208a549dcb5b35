import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { replaceFile } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'
import { privateNames } from './private-names.ts'

/**
 * The names that stood for a local network when the operator named them, in `private-hosts.json` of the crawl directory: so it holds after a
 * restart, and for each worker of a fleet.
 * @param known hosts named before: they were looked up then, and are not looked up again
 * @param named all hosts that the operator named
 */
export async function rememberPrivateHosts(
  crawlDirectory: string,
  known: Iterable<string>,
  named: readonly string[],
  lookUp: (hosts: Iterable<string>) => Promise<readonly string[]> = privateNames,
): Promise<readonly string[]> {
  const file = join(crawlDirectory, 'private-hosts.json')
  const remembered = await readHosts(file)
  // Without the file, the crawl comes from a version that did not write it.
  const earlier = new Set(remembered === undefined ? [] : known)
  // URLs of files have no host.
  const found = await lookUp(named.filter((host) => host !== '' && !earlier.has(host)))
  if (remembered !== undefined && found.length === 0) return remembered
  const hosts = [...new Set([...(remembered ?? []), ...found])]
  await replaceFile(file, [JSON.stringify({ hosts })])
  return hosts
}

/** `undefined`: there is no file. One that cannot be understood names no host. */
async function readHosts(file: string): Promise<readonly string[] | undefined> {
  const text = await ifExists(readFile(file, 'utf8'))
  if (text === undefined) return undefined
  try {
    return HOSTS.parse(JSON.parse(text)).hosts
  } catch {
    return []
  }
}

const HOSTS = z.object({ hosts: z.array(z.string()) })
