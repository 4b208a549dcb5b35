import { DuckDBInstance } from '@duckdb/node-api'
import type { TrapSite } from './trap-site.ts'

/** What a crawl of a trap site fetched. */
export interface CrawledContent {
  readonly requests: number
  readonly contentPages: number
}

/** Share of the phrases of a content page that must be in fetched pages. */
const ENOUGH_PHRASES = 0.9

/** Counts the requests in the segments of a crawl, and the content pages among them. */
export async function crawledContent(directory: string, site: TrapSite): Promise<CrawledContent> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const rows = async (name: string, columns: string) => {
    const files = `read_parquet('${directory}/segments/*/${name}/part-*.parquet', union_by_name = true)`
    return (await connection.runAndReadAll(`SELECT ${columns} FROM ${files}`)).getRowObjectsJS()
  }
  const fetches = (await rows('crawl_fetch', 'url, status')) as Array<{ url: string; status: string }>
  const texts = (await rows('parse_text', 'text')) as Array<{ text: string }>
  connection.closeSync()
  instance.closeSync()
  const fetched = new Set(fetches.filter(({ status }) => status === 'fetch_success').map(({ url }) => url))
  const phrases = new Set<string>()
  for (const { text } of texts) for (const phrase of phrasesOf(text)) phrases.add(phrase)
  let contentPages = 0
  for (const page of site.contentPages.values()) {
    if ('url' in page) contentPages += Number(fetched.has(page.url))
    else {
      const own = phrasesOf(page.text)
      const found = own.filter((phrase) => phrases.has(phrase)).length
      contentPages += Number(found >= ENOUGH_PHRASES * own.length)
    }
  }
  return { requests: fetches.filter(({ status }) => status !== 'not_reached').length, contentPages }
}

/** Three words next to each other. Numbers are left out: views put them before the lines of a file. */
function phrasesOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}]+/gu) ?? []
  return words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`)
}
