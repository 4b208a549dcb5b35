import type { JsonObject } from '../../base/json.ts'
import type { ItemLog, LoggedItem, LoggedRejection } from '../../domain/frontier/item-log.ts'
import { parsePythonJson } from '../scrapy/python-json.ts'
import type { Job } from './job.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { isRecord, parseJson } from './stored-request.ts'

/**
 * The items of a crawl, from the list that scrapy-redis's consumers read, too. What they take is gone from here; the others keep their numbers, as long
 * as only crawlers of this kind add items.
 */
export class RedisItemLog implements ItemLog {
  readonly #job: Job

  constructor(job: Job) {
    this.#job = job
  }

  async items(position: number, limit: number): Promise<readonly LoggedItem[]> {
    const reply = await this.#read(SCRIPTS.readItems, position, limit)
    const [first, items, urls, without] = reply as [number, string[], string[], number]
    return items.flatMap((json, i) => {
      const item = readItem(json)
      return item === undefined ? [] : [{ position: first + i, url: urls[i - without] ?? '', item }]
    })
  }

  async rejected(position: number, limit: number): Promise<readonly LoggedRejection[]> {
    const reply = (await this.#read(SCRIPTS.readRejected, position, limit)) as string[]
    return reply.flatMap((json, i) => {
      const value = parseJson(json)
      if (!isRecord(value) || !isRecord(value['item'])) return []
      const { url, item, reason } = value
      return [
        { position: position + i + 1, url: String(url), item: item as JsonObject, reason: String(reason) },
      ]
    })
  }

  #read(script: typeof SCRIPTS.readItems, position: number, limit: number): Promise<unknown> {
    return this.#job.run(script, {}, [String(position), String(Math.max(1, limit))])
  }
}

/** What is in the list of items, if it is one: Python's pipelines write there, too. */
export function readItem(json: string): JsonObject | undefined {
  const read = parsePythonJson(json)
  return read.ok && isRecord(read.value) ? (read.value as JsonObject) : undefined
}
