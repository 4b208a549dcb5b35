import type { RequestOptions } from './request-options.ts'

/** What a handler may hand back: items and requests. `undefined` is nothing, so that a link that is not there needs no `if`. */
export type Output<Item, Names extends string> = ItemOutput<Item> | RequestOutput<Names> | undefined

/** An item on its way to the schema, the pipelines and the exports. Made by `page.item`. */
export class ItemOutput<Item> {
  readonly item: Item

  constructor(item: Item) {
    this.item = item
  }
}

/** A request on its way to the frontier. Made by `request`, `page.follow`, `page.request` and their like. */
export class RequestOutput<Names extends string = string> {
  /** As it was written. */
  readonly href: string
  readonly options: RequestOptions<Names>
  /** What a relative one is resolved with; absent: `href` is absolute. */
  readonly base: string | undefined

  constructor(href: string, options: RequestOptions<Names> = NO_OPTIONS, base?: string) {
    this.href = href
    this.options = options
    this.base = base
  }
}

/** One for all: a page has many links. */
const NO_OPTIONS = Object.freeze({})

/** A request to start with, or to go on with when idle. `url` is absolute. */
export function request(url: string | URL, options?: RequestOptions<never>): RequestOutput<never>
export function request<const Name extends string>(
  url: string | URL,
  options: Name | RequestOptions<Name>,
): RequestOutput<Name>
export function request(url: string | URL, options?: string | RequestOptions): RequestOutput {
  return new RequestOutput(String(url), optionsOf(options))
}

/** The name of a handler is short for options that name it. */
export function optionsOf<Names extends string>(
  options: Names | RequestOptions<Names> | undefined,
): RequestOptions<Names> {
  return typeof options === 'string' ? { handler: options } : (options ?? NO_OPTIONS)
}
