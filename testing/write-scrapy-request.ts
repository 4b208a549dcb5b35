import {
  type PickleDict,
  type PickleValue,
  pickleOfJson,
  pickleOfObject,
} from '../src/adapters/scrapy/pickle-value.ts'
import type { CrawlRequest } from '../src/domain/frontier/crawl-request.ts'

/**
 * A request of ours as the dict that Scrapy makes a request of: for `writePickle`, and then for `<spider>:requests`, where its
 * score is the negative priority. Python's spider must have a method with the handler's name. `notBefore`, `from` and
 * `redirectedFrom` have no place there.
 */
export function scrapyRequestDict(request: CrawlRequest): PickleDict {
  const { url, method = 'GET', headers = {}, body = '', base64 = false, handler } = request
  const { cb_kwargs: kwargs, ...meta } = request.meta ?? {}
  const callbackArguments = pickleOfJson(kwargs ?? {})
  return new Map<PickleValue, PickleValue>([
    ['url', url],
    ['callback', handler === 'parse' ? null : handler],
    ['errback', null],
    [
      'headers',
      new Map(Object.entries(headers).map(([name, value]) => [bytes(titleCase(name)), [bytes(value)]])),
    ],
    ['method', method],
    ['body', new Uint8Array(Buffer.from(body, base64 ? 'base64' : 'utf8'))],
    ['cookies', new Map()],
    ['meta', pickleOfObject({ ...meta, depth: request.depth })],
    ['encoding', 'utf-8'],
    ['priority', Math.round(request.priority ?? 0)],
    ['dont_filter', request.dontFilter === true],
    ['flags', []],
    ['cb_kwargs', callbackArguments instanceof Map ? callbackArguments : new Map()],
  ])
}

function bytes(wireText: string): Uint8Array {
  return new Uint8Array(Buffer.from(wireText, 'latin1'))
}

/** Scrapy finds a header by this spelling only. */
function titleCase(name: string): string {
  return name.replace(/[a-z]+/g, (word) => word.charAt(0).toUpperCase() + word.slice(1))
}
