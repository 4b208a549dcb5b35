import type { DemoFile, DemoPage } from '../demo-site.ts'
import { escapeHtml } from '../render-page.ts'

/** A page with the defaults of its site. */
export function page(
  title: string,
  description: string,
  body: string,
  options: Partial<DemoPage> = {},
): DemoPage {
  return { kind: 'page', title, description, body, ...options }
}

/** A sitemap with these paths. */
export function sitemap(paths: readonly string[], modified: string): DemoFile {
  return {
    kind: 'file',
    type: 'application/xml',
    links: paths,
    body: (urls) => `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.map((url) => `<url><loc>${escapeHtml(url)}</loc><lastmod>${modified}</lastmod></url>`).join('\n')}
</urlset>
`,
  }
}

export interface FeedEntry {
  readonly path: string
  readonly title: string
  /** ISO date. */
  readonly date: string
  readonly summary: string
}

/** An RSS feed; the first link is the site itself. */
export function feed(title: string, entries: readonly FeedEntry[]): DemoFile {
  return {
    kind: 'file',
    type: 'application/rss+xml',
    links: ['/', ...entries.map(({ path }) => path)],
    body: ([site = '', ...urls]) => `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>${escapeHtml(title)}</title><link>${site}</link><description>${escapeHtml(title)}</description>
${entries.map((entry, i) => item(entry, urls[i] ?? site)).join('\n')}
</channel></rss>
`,
  }
}

function item({ title, date, summary }: FeedEntry, url: string): string {
  const published = new Date(date).toUTCString()
  return `<item><title>${escapeHtml(title)}</title><link>${url}</link><pubDate>${published}</pubDate><description>${escapeHtml(summary)}</description></item>`
}
