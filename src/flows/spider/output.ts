import type { JsonObject } from '../../base/json.ts'
import type { RequestOptions } from './request-options.ts'

/**
 * An item or a request that a handler returns. `undefined` is ignored, so that a missing link needs no `if`. Without an item schema, a plain
 * object is an item.
 */
export type Output<Item, Names extends string> =
  | ItemOutput<Item>
  | RequestOutput<Names>
  | DownloadOutput
  | NoInfer<PlainItem<Item>>
  | undefined

/** A plain object, if there is no schema. */
export type PlainItem<Item> = JsonObject extends Item ? JsonObject : never

/** An item that a handler returns; made by `page.item`. */
export class ItemOutput<Item> {
  readonly item: Item

  constructor(item: Item) {
    this.item = item
  }
}

/** A request that a handler returns; made by `request`, `page.follow`, `page.followAll` and `page.submit`. */
export class RequestOutput<Names extends string = string> {
  /** As given by the handler. */
  readonly href: string
  readonly options: RequestOptions<Names>
  /** Base URL of a relative `href`; `undefined`: `href` is absolute. */
  readonly base: string | undefined

  constructor(href: string, options: RequestOptions<Names> = NO_OPTIONS, base?: string) {
    this.href = href
    this.options = options
    this.base = base
  }
}

/** A file of an item that a handler returns; made by `page.download` and `page.downloadAll`. */
export class DownloadOutput {
  /** As given by the handler. */
  readonly href: string
  readonly base: string | undefined
  /** The field of the item; `[]` at its end: a list. */
  readonly as: string
  /** The item; `undefined`: the only one of the page. */
  readonly item: object | undefined

  constructor(href: string, base: string | undefined, { as = 'files[]', item }: DownloadOptions = {}) {
    this.href = href
    this.base = base
    this.as = as
    this.item = item
  }
}

/** Options of `page.download`. */
export interface DownloadOptions {
  /** The field of the item that gets the file; with `[]` at its end, a list of files. @default 'files[]' */
  readonly as?: string
  /** The item of the file: the result of `page.item`, or the plain object that is yielded. @default the only item of the page */
  readonly item?: object
}

/** Shared: a page has many links. */
const NO_OPTIONS = Object.freeze({})

/**
 * A start request, or a request returned by `onIdle`. `url` is absolute.
 * @example
 * ```ts
 * start: [request('https://quotes.example/', { headers: { 'accept-language': 'en' } })],
 * ```
 */
export function request(url: string | URL, options?: RequestOptions<never>): RequestOutput<never>
export function request<const Name extends string>(
  url: string | URL,
  options: Name | RequestOptions<Name>,
): RequestOutput<Name>
export function request(url: string | URL, options?: string | RequestOptions): RequestOutput {
  return new RequestOutput(String(url), optionsOf(options))
}

/** A handler name alone stands for options with that handler. */
export function optionsOf<Names extends string>(
  options: Names | RequestOptions<Names> | undefined,
): RequestOptions<Names> {
  return typeof options === 'string' ? { handler: options } : (options ?? NO_OPTIONS)
}
