import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { enabledSchemes } from '../adapters/config/protocol-section.ts'
import { formatCounts, formatNumber, printableLine } from '../base/format-values.ts'
import type { JsonObject } from '../base/json.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { openCrawl } from '../wiring/open-crawl.ts'
import { usableUrl } from './option-values.ts'
import { checkSettings } from './run-check.ts'
import type { Terminal } from './terminal.ts'
import { type WebFlags, webConfig } from './web-flags.ts'

/** The output of `orbweaver check --index --json`. */
export interface IndexCheck {
  readonly url: string
  /** The document that would be sent to an index; absent if the page would not be indexed. */
  readonly document?: JsonObject
  /** Why there is no document. */
  readonly reason?: string
}

/**
 * Fetches one page into a crawl of its own, which is deleted afterwards, and indexes it: the document is made by the same code as for any
 * other index.
 */
export async function indexedDocument(
  input: string,
  flags: WebFlags,
  terminal: Terminal,
): Promise<IndexCheck> {
  const { protocols } = await checkSettings(flags)
  const url = usableUrl(input, enabledSchemes(protocols))
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-check-'))
  try {
    const { config } = flags
    await using crawl = await openCrawl(join(folder, 'crawl'), {
      ...webConfig(flags),
      ...withoutUndefined({ config }),
      ...{ create: true, command: 'check' },
    })
    const { selected, injected } = await crawl.freegen([url])
    if (selected === 0) return { url, reason: injected.examples[0]?.reason ?? 'it cannot be fetched' }
    const fetched = await crawl.fetch({ signal: terminal.interrupted })
    const [failure] = fetched?.failures ?? []
    if (failure !== undefined) return { url, reason: failure.reason }
    await crawl.update()
    const file = join(folder, 'documents.jsonl')
    const [result] = await crawl.index({ to: [`jsonl:${file}`] })
    const [line] = (await readFile(file, 'utf8')).split('\n')
    const unindexed = result?.unindexed ?? {}
    return Object.keys(unindexed).length > 0 || !line
      ? { url, reason: formatCounts(unindexed) }
      : { url, document: JSON.parse(line) as JsonObject }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export function indexCheckReport({ url, document, reason }: IndexCheck): string {
  if (document === undefined) return `${url} would not be indexed: ${reason}\n`
  const lines = Object.entries(document).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `${name.padEnd(NAME_COLUMNS)} ${shortened(text)}`
  })
  return `${lines.join('\n')}\n`
}

const NAME_COLUMNS = 14
const MAX_CHARACTERS = 500

function shortened(text: string): string {
  const line = printableLine(text)
  return line.length > MAX_CHARACTERS
    ? `${line.slice(0, MAX_CHARACTERS)}… (${formatNumber(text.length)} characters)`
    : line
}
