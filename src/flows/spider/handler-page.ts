import type { JsonObject } from '../../base/json.ts'
import { type DecodedText, decodeText } from '../../domain/content/decode-text.ts'
import { type SniffedType, sniffType } from '../../domain/content/sniff-type.ts'
import { type HeaderList, header } from '../../domain/fetch/headers.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { parseDocument } from '../../domain/selectors/document.ts'
import { type FormFields, formSubmission } from '../../domain/selectors/form.ts'
import {
  type ExtractedLink,
  LinkExtractor,
  type LinkExtractorOptions,
} from '../../domain/selectors/link-extractor.ts'
import type { Selection } from '../../domain/selectors/selection.ts'
import type { UrlNormalizer } from '../../domain/url/normalize-url.ts'
import { ItemOutput, optionsOf, RequestOutput } from './output.ts'
import type { HandlerRequest, RequestOptions } from './request-options.ts'
import { checkMeta, describeIssues, type NoMetas, type StandardSchema } from './standard-schema.ts'

/** A response, as the engine passes it to a page. */
export interface PageResponse {
  readonly request: CrawlRequest
  readonly attempt: number
  readonly status: number
  readonly headers: HeaderList
  readonly bytes: Uint8Array
  /** How links are brought into their normal form. */
  readonly normalize: UrlNormalizer
}

/** What a handler found of an item: some of it may be missing. */
export type Found<Item> = { readonly [Field in keyof Item]: Item[Field] | undefined }

/**
 * What a handler gets: a response, ways to select from it, and ways to hand back what was found. Nothing is decoded or parsed before
 * it is asked for.
 */
export class Page<Item = unknown, Names extends string = string, Metas = NoMetas, Meta = JsonObject> {
  /** The request that was made for it. */
  readonly request: CrawlRequest
  /** 1 for the first try. */
  readonly attempt: number
  /** 0: no response came. */
  readonly status: number
  /** Names in lower case. */
  readonly headers: HeaderList
  readonly bytes: Uint8Array
  /** Links over the limit of 200,000 per page that `links()`, or reading a sitemap, left out. */
  linksOverLimit = 0
  readonly #normalize: UrlNormalizer
  #sniffed: SniffedType | undefined
  #decoded: DecodedText | undefined
  #document: Selection | undefined
  #base: string | undefined
  #metaSchema: StandardSchema<unknown, unknown> | undefined
  #checkedMeta: { readonly value: unknown } | undefined

  constructor({ request, attempt, status, headers, bytes, normalize }: PageResponse) {
    this.request = request
    this.attempt = attempt
    this.status = status
    this.headers = headers
    this.bytes = bytes
    this.#normalize = normalize
  }

  get url(): string {
    return this.request.url
  }

  /**
   * The meta of the request. With a schema for the handler (`meta` of the spider) it has that type, and is checked when it is first read.
   * @throws MetaInvalid when the schema rejects it
   */
  get meta(): Meta {
    const { meta = {}, handler } = this.request
    if (this.#metaSchema === undefined) return meta as Meta
    this.#checkedMeta ??= { value: checkMeta(meta, this.#metaSchema, handler) }
    return this.#checkedMeta.value as Meta
  }

  /** Sets the schema of `meta`. @internal */
  checkMetaWith(schema: StandardSchema<unknown, unknown> | undefined): void {
    this.#metaSchema = schema
  }

  /** Links from a start request. */
  get depth(): number {
    return this.request.depth
  }

  /** The first of that name; `undefined` when it was not sent. */
  header(name: string): string | undefined {
    return header(this.headers, name.toLowerCase())
  }

  /** What the bytes are, whatever the server said: `text/html`. */
  get contentType(): string {
    return this.#type.type
  }

  get charset(): string {
    return this.#text.charset
  }

  /** The body, decoded. */
  get body(): string {
    return this.#text.text
  }

  /** What a reader reads: of the whole page, or of the first element that `selector` finds; `''` when it finds none. */
  text(selector?: string): string {
    return selector === undefined ? this.document.text() : this.document.css(selector).text()
  }

  /** An attribute of the first element that `selector` finds; `undefined` when there is none. */
  attr(selector: string, name: string): string | undefined {
    return this.css(selector).attr(name)
  }

  /** The first number in the text of what `selector` finds; `undefined` when there is none. */
  number(selector: string): number | undefined {
    return this.css(selector).number()
  }

  /**
   * The body as JSON; with a schema, checked and typed.
   * @throws SyntaxError when it is none, TypeError when the schema refuses it
   */
  json(): unknown
  json<Output>(schema: StandardSchema<unknown, Output>): Output
  json<Output>(schema?: StandardSchema<unknown, Output>): unknown {
    const value: unknown = JSON.parse(this.body)
    if (schema === undefined) return value
    const verdict = schema['~standard'].validate(value)
    if (verdict instanceof Promise) throw new TypeError('page.json needs a schema that responds at once')
    if (verdict.issues !== undefined) throw new TypeError(`${this.url}: ${describeIssues(verdict.issues)}`)
    return verdict.value
  }

  /** The whole page, to select from. */
  get document(): Selection {
    this.#document ??= parseDocument(this.body, { kind: isXml(this.#type.type) ? 'xml' : 'html' })
    return this.#document
  }

  /** What a CSS selector finds; with `::text` or `::attr(name)` at its end, texts or attributes. */
  css(selector: string): Selection {
    return this.document.css(selector)
  }

  /** What an XPath 1.0 expression finds. */
  xpath(expression: string): Selection {
    return this.document.xpath(expression)
  }

  /** The links of the page, normalised, each once. */
  links(which: LinkExtractorOptions | LinkExtractor = {}): readonly ExtractedLink[] {
    const extractor = which instanceof LinkExtractor ? which : new LinkExtractor(which)
    return extractor.extract({
      url: this.url,
      html: this.body,
      document: () => this.document,
      normalize: this.#normalize,
      onOverLimit: (links) => {
        this.linksOverLimit = Math.max(this.linksOverLimit, links)
      },
    })
  }

  /** An item, on its way to the schema, the pipelines and the exports. What was not found may be `undefined`: the schema decides. */
  item(item: Found<Item>): ItemOutput<Item> {
    return new ItemOutput(item as Item)
  }

  /**
   * A request for a URL; a relative one is resolved against the URL of this page, or its `<base>`. A missing link (`undefined`) gives
   * `undefined`, which may be yielded.
   */
  follow(href: string, options?: HandlerRequest<Names, Metas>): RequestOutput<Names>
  follow(href: string | undefined, options?: HandlerRequest<Names, Metas>): RequestOutput<Names> | undefined
  follow(href: string | undefined, options?: HandlerRequest<Names, Metas>): RequestOutput<Names> | undefined {
    return href === undefined
      ? undefined
      : new RequestOutput(href, optionsOf(options as Names | RequestOptions<Names>), this.#baseUrl)
  }

  /** Requests for many links: of the elements a CSS selector finds (their own `href`, else those of the links in them), or as listed. */
  *followAll(
    links: string | Selection | Iterable<string | ExtractedLink>,
    options?: HandlerRequest<Names, Metas>,
  ): Generator<RequestOutput<Names>> {
    const found = typeof links === 'string' ? this.css(links) : links
    const given = optionsOf(options as Names | RequestOptions<Names>)
    for (const link of found) {
      for (const href of hrefsOf(link)) yield new RequestOutput(href, given, this.#baseUrl)
    }
  }

  /**
   * What a browser would send when the form is submitted with these fields filled in.
   * @param given.click the name of the button that is pressed; `false`: none. @default the first one
   * @throws FormMissing when `selector` finds no form
   */
  submit(
    selector: string,
    fields: FormFields,
    given?:
      | HandlerRequest<Names, Metas>
      | (Exclude<HandlerRequest<Names, Metas>, string> & { readonly click?: string | false }),
  ): RequestOutput<Names> {
    const plain = given as Names | (RequestOptions<Names> & { readonly click?: string | false }) | undefined
    const { click, ...options } = typeof plain === 'string' ? { handler: plain } : { ...plain }
    const form = this.css(selector)
    const pressed = click === undefined ? {} : { click }
    const { url, method, body, contentType } = formSubmission(form, fields, this.#baseUrl, pressed)
    return new RequestOutput(url, {
      ...options,
      method,
      ...(body !== undefined && { body, headers: { 'content-type': contentType, ...options.headers } }),
    })
  }

  get #type(): SniffedType {
    this.#sniffed ??= sniffType(this.bytes, this.header('content-type'), this.url)
    return this.#sniffed
  }

  get #text(): DecodedText {
    if (this.#decoded === undefined) {
      const { type, kind, headerCharset } = this.#type
      const syntax = isXml(type) ? 'xml' : kind === 'html' ? 'html' : 'text'
      this.#decoded = decodeText(this.bytes, { headerCharset, syntax })
    }
    return this.#decoded
  }

  /** What relative links are resolved with: the page may name it. */
  get #baseUrl(): string {
    this.#base ??= this.#type.kind === 'html' ? this.#htmlBase() : this.url
    return this.#base
  }

  #htmlBase(): string {
    // Most pages have none, and the whole tree is not worth building for it.
    if (this.#document === undefined && !/<base\s/i.test(this.body)) return this.url
    const href = this.document.css('base[href]').attr('href')
    return (href !== undefined && URL.parse(href, this.url)?.href) || this.url
  }
}

function hrefsOf(link: string | ExtractedLink | Selection): readonly string[] {
  if (typeof link === 'string') return [link]
  if ('url' in link) return [link.url]
  const own = link.attr('href')
  return own === undefined ? link.css('a[href]').attrs('href') : [own]
}

function isXml(type: string): boolean {
  return /[/+]xml$/.test(type) && type !== 'application/xhtml+xml'
}
