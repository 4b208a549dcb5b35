import type { Json, JsonObject } from '../../base/json.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { TaskEntry } from './fetch-task.ts'

/**
 * A URL to fetch, as a request of a frontier. Its body, which is never sent, is the name of the segment: the same URL
 * on the list of another segment is another request, and on the same one it is the same.
 */
export function listedRequest(segment: string, entry: TaskEntry): CrawlRequest {
  const { url, sortValue, score, validators, signature, metadata, redirectedFrom } = entry
  return {
    url,
    body: segment,
    handler: 'fetch',
    depth: 0,
    // JSON has no infinity.
    ...(Number.isFinite(sortValue) && { priority: sortValue }),
    ...withoutUndefined({ redirectedFrom }),
    meta: {
      score,
      metadata,
      ...(validators !== undefined && { validators: { ...validators } }),
      ...withoutUndefined({ signature }),
    },
  }
}

/** `undefined`: the request is of another segment. Its content is not trusted. */
export function entryOf(segment: string, request: CrawlRequest): TaskEntry | undefined {
  const { url, body, priority = 0, redirectedFrom, meta = {} } = request
  if (body !== segment) return undefined
  const { score, signature } = meta
  const validators = textsOf(meta['validators'])
  return {
    url,
    sortValue: priority,
    score: typeof score === 'number' ? score : 0,
    metadata: textsOf(meta['metadata']),
    ...(Object.keys(validators).length > 0 && { validators }),
    ...(typeof signature === 'string' && { signature }),
    ...withoutUndefined({ redirectedFrom }),
  }
}

/** The members that are strings. */
function textsOf(value: Json | undefined): Record<string, string> {
  const members = isObject(value) ? Object.entries(value) : []
  return Object.fromEntries(
    members.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text] as const] : [])),
  )
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
