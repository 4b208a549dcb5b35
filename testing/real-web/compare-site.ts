import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildRules } from '../../src/adapters/config/build-rules.ts'
import { completeConfig } from '../../src/adapters/config/complete-config.ts'
import { wallClock } from '../../src/base/clock.ts'
import { breadthFirstList } from './breadth-first-list.ts'
import { type Comparison, compareCrawl } from './compare-crawl.ts'

/** The program as users start it: dist/ must be built. */
const PROGRAM = join(import.meta.dirname, '../../bin/orbweaver.js')

/** Compares a crawl directory with a breadth-first list of the site it was crawled from. */
export async function compareSite(seed: string, directory: string): Promise<Comparison> {
  const dumpFile = `${directory}.jsonl`
  await orbweaver('readdb', directory, '--dump', dumpFile, '--format', 'jsonl')
  return compareCrawl(await breadthFirstList(seed), {
    origin: new URL(seed).origin,
    dumpFile,
    rules: buildRules(completeConfig({ agent: { email: 'test@example.org' } }, 'test'), {
      clock: wallClock,
      seeds: [seed],
    }),
    explain: (url) => orbweaver('explain', directory, url),
  })
}

/** Runs a command and returns what it printed, also if it exits with 1: nothing found. */
async function orbweaver(...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(process.execPath, [PROGRAM, ...args])).stdout
  } catch (error) {
    const { code, stdout } = error as { code?: unknown; stdout?: string }
    if (code === 1 && stdout !== undefined) return stdout
    throw error
  }
}
