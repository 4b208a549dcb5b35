import { z } from 'zod'
import type { OrbweaverConfig } from '../../adapters/config/config-schema.ts'
import { type McpTool, mcpTool, type ToolCall, type ToolResult } from '../../adapters/mcp/mcp-tool.ts'
import { formatCount } from '../../base/format-values.ts'
import { printable } from '../../base/printable.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import { normalizeUrl } from '../../domain/url/normalize-url.ts'
import type { OpenCrawlOptions, RunResult } from '../cycle-options.ts'
import { openCrawl } from '../open-crawl.ts'

/** What the operator allows. */
export interface CrawlPermission {
  readonly dir: string
  /** Hosts that may be crawled. Nothing else is requested, except targets of redirects of a robots.txt. */
  readonly hosts: readonly string[]
  /** Upper limits of one call. */
  readonly maxPages: number
  readonly maxSeconds: number
  /** The settings of every crawl. */
  readonly settings: OpenCrawlOptions
}

/** A tool that crawls a site into the crawl directory and indexes it. One call at a time. */
export function crawlSiteTool(permission: CrawlPermission): McpTool {
  const { hosts, maxPages, maxSeconds } = permission
  let isRunning = false
  return mcpTool({
    name: 'crawl_site',
    title: 'Crawl a site',
    description: `Fetches pages from the web, starting at a URL and following links on the same host, and adds them to the search index. Politely: robots.txt and delays between requests apply, so that it takes about a second per page. Allowed hosts: ${hosts.join(', ')}. Pages that are stored and not due are not fetched again.`,
    input: z.strictObject({
      url: z.string().min(1).max(8_192).describe('The URL to start at'),
      max_pages: z
        .int()
        .min(1)
        .max(maxPages)
        .default(Math.min(50, maxPages))
        .describe('Maximum number of pages'),
      max_depth: z
        .int()
        .min(0)
        .max(100)
        .default(3)
        .describe('Maximum number of links between the URL and a page'),
      max_seconds: z.int().min(1).max(maxSeconds).default(Math.min(120, maxSeconds)).describe('Maximum time'),
    }),
    readOnly: false,
    openWorld: true,
    async run(input, call) {
      const normalized = normalizeUrl(input.url)
      if (!normalized.ok) return failure(`${printable(input.url)} cannot be crawled: ${normalized.detail}`)
      const host = hostOf(normalized.url)
      if (!hosts.includes(host))
        return failure(
          `${host} may not be crawled; the allowed hosts are ${hosts.join(', ')}. The operator of this server can add --allow-host ${host}`,
        )
      if (isRunning) return failure('a call of crawl_site is running already; wait for it, or cancel it')
      isRunning = true
      try {
        return await crawlSite(permission, { ...input, url: normalized.url, host }, call)
      } finally {
        isRunning = false
      }
    },
  })
}

interface SiteToCrawl {
  readonly url: string
  readonly host: string
  readonly max_pages: number
  readonly max_depth: number
  readonly max_seconds: number
}

async function crawlSite(
  { dir, hosts, settings }: CrawlPermission,
  { url, host, max_pages: maxPages, max_depth: maxDepth, max_seconds: maxTimeSeconds }: SiteToCrawl,
  { signal, progress }: ToolCall,
): Promise<ToolResult> {
  progress(0, maxPages, 'starting')
  const filters = { ...settings.filters, scope: 'host', prefixes: prefixesOf(hosts), maxDepth } as const
  await using crawl = await openCrawl(dir, { ...settings, ...({ filters } satisfies OrbweaverConfig) })
  await crawl.inject([url])
  const result = await crawl.run({
    ...{ maxPages, maxTimeSeconds, signal, index: true, parseThreads: 0 },
    // Other due URLs of the directory are not part of this call.
    expr: `host = '${host.replaceAll("'", "''")}'`,
    onProgress: ({ pages, queued }) => progress(pages, maxPages, `${pages} pages fetched, ${queued} queued`),
  })
  return { text: resultText(url, result), data: resultData(result) }
}

/** The filter sees normalized URLs: each starts with its host. */
function prefixesOf(hosts: readonly string[]): string[] {
  return hosts.flatMap((host) =>
    ['http', 'https'].flatMap((scheme) => [`${scheme}://${host}/`, `${scheme}://${host}:`]),
  )
}

function resultData({ ended, pages, added, failures, durationMs, due }: RunResult) {
  return {
    ...{ ended, pages, new_urls: added, due },
    seconds: Math.round(durationMs / 1000),
    failures: failures.map(({ kind, count }) => ({ kind, count })),
  }
}

function resultText(url: string, result: RunResult): string {
  const { ended, pages, failures, due, durationMs } = result
  const failed = failures.map(({ kind, count }) => `${count} ${kind}`)
  return [
    `${formatCount(pages, 'page')} fetched in ${Math.round(durationMs / 1000)} s, starting at ${printable(url, 2_000)}; ended: ${ended === 'pages' ? 'max_pages reached' : ended}`,
    ...(failed.length === 0 ? [] : [`failed: ${failed.join(', ')}; the tool explain tells more about a URL`]),
    ...(due === 0 ? [] : [`${formatCount(due, 'URL')} due and not fetched; call it again to continue`]),
    ...(pages === 0 && failed.length === 0
      ? ['its pages were fetched before and are not due again; use search and fetch_page']
      : []),
  ].join('\n')
}

function failure(text: string): ToolResult {
  return { isError: true, text }
}
