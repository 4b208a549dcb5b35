import { existsSync } from 'node:fs'
import { CrawlNotRunning, OwnerGone } from '../adapters/crawl-directory/control/control-error.ts'
import { findLiveCrawl } from '../adapters/crawl-directory/control/remote-live-crawl.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatJson, printableLine } from '../base/format-values.ts'
import type { LiveActionResult } from '../domain/live/live-report.ts'
import { type CommandContext, EXIT } from './command-context.ts'

/** Pauses, resumes or stops the crawl that runs in a directory. */
export async function actOnDirectory(
  dir: string,
  action: 'pause' | 'resume' | 'stop',
  { json }: { readonly json: boolean },
  { terminal, exitWith }: CommandContext,
): Promise<void> {
  if (!existsSync(dir)) throw new ConfigurationError('OPTION_INVALID', `there is no crawl directory ${dir}`)
  const result = await act(dir, action)
  if (result === undefined) exitWith(EXIT.nothing)
  else if (!result.ok) exitWith(EXIT.failed)
  if (json) terminal.out(formatJson(result ?? null))
  else
    terminal.out(
      `${printableLine(dir)}: ${result?.message ?? 'no crawl is running'}${hint(dir, action, result)}\n`,
    )
}

async function act(dir: string, action: 'pause' | 'resume' | 'stop'): Promise<LiveActionResult | undefined> {
  try {
    return await (await findLiveCrawl(dir))?.act({ action })
  } catch (error) {
    // It ended in this moment.
    if (error instanceof CrawlNotRunning || error instanceof OwnerGone) return undefined
    throw error
  }
}

function hint(dir: string, action: string, result: LiveActionResult | undefined): string {
  return action === 'pause' && result?.ok === true ? `. To resume: orbweaver resume ${dir}` : ''
}
