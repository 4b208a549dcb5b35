import type { JsonObject } from '../../base/json.ts'
import { type DecodedText, decodeText } from '../../domain/content/decode-text.ts'
import { feedOf, type WebFeed } from '../../domain/content/feed-page.ts'
import { type SniffedType, sniffType } from '../../domain/content/sniff-type.ts'
import { plainMarkdown } from '../../domain/extraction/markdown/plain-markdown.ts'
import { ContentReader, type PageContent } from '../../domain/extraction/page-content.ts'
import type { StructuredData } from '../../domain/extraction/structured-data.ts'
import type { BrowserPage } from '../../domain/fetch/browser-page.ts'
import { type HeaderList, header } from '../../domain/fetch/headers.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { buildTree } from '../../domain/selectors/document.ts'
import { type FormFields, formSubmission } from '../../domain/selectors/form.ts'
import {
  type ExtractedLink,
  LinkExtractor,
  type LinkExtractorOptions,
} from '../../domain/selectors/link-extractor.ts'
import type { RootNode } from '../../domain/selectors/nodes.ts'
import { Selection } from '../../domain/selectors/selection.ts'
import type { UrlNormalizer } from '../../domain/url/normalize-url.ts'
import { type DownloadOptions, DownloadOutput, ItemOutput, optionsOf, RequestOutput } from './output.ts'
import type { HandlerRequest, RequestOptions } from './request-options.ts'
import { checkMeta, describeIssues, type NoMetas, type StandardSchema } from './standard-schema.ts'

/** A response, as the engine passes it to a page. */
export interface PageResponse {
  readonly request: CrawlRequest
  readonly attempt: number
  readonly status: number
  readonly headers: HeaderList
  readonly bytes: Uint8Array
  /** Normalises links. */
  readonly normalize: UrlNormalizer
  /** The tab of a rendered page; `isolated`: it cannot be used in the thread of the handler. */
  readonly browser?: BrowserPage | 'isolated'
}

/** The fields of an item, each of which may be missing on the page. */
export type Found<Item> = { readonly [Field in keyof Item]: Item[Field] | undefined }

/**
 * A response, as a handler receives it, with methods to select from it and to make items and requests. It is decoded and parsed on first use.
 * @example
 * ```ts
 * *parse(page) {
 *   yield page.item({ title: page.text('h1'), price: page.number('.price') })
 *   yield page.follow(page.css('.next a').attr('href'))
 * },
 * ```
 */
export class Page<Item = unknown, Names extends string = string, Metas = NoMetas, Meta = JsonObject> {
  /** The request of this page. */
  readonly request: CrawlRequest
  /** 1 for the first attempt. */
  readonly attempt: number
  /** 0: there was no response. */
  readonly status: number
  /** Names in lower case. */
  readonly headers: HeaderList
  /** Links over the limit of 200,000 per page that `links()`, or reading a sitemap, left out. */
  linksOverLimit = 0
  readonly #normalize: UrlNormalizer
  readonly #browser: BrowserPage | 'isolated' | undefined
  #bytes: Uint8Array
  #sniffed: SniffedType | undefined
  #decoded: DecodedText | undefined
  #document: Selection | undefined
  #tree: RootNode | undefined
  #content: ContentReader | undefined
  #base: string | undefined
  #metaSchema: StandardSchema<unknown, unknown> | undefined
  #checkedMeta: { readonly value: unknown } | undefined

  constructor({ request, attempt, status, headers, bytes, normalize, browser }: PageResponse) {
    this.request = request
    this.attempt = attempt
    this.status = status
    this.headers = headers
    this.#bytes = bytes
    this.#normalize = normalize
    this.#browser = browser
  }

  /** The body as received; of a rendered page, its HTML as UTF-8. */
  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** Whether a browser has run the scripts of the page. */
  get isRendered(): boolean {
    return this.#browser !== undefined
  }

  /**
   * The page in the browser, until the handler ends: for clicks, waits, screenshots.
   * @example
   * ```ts
   * async *parse(page) {
   *   await page.browser.click('.load-more')
   *   await page.update()
   *   for (const title of page.css('.title')) yield page.item({ title: title.text() })
   * },
   * ```
   * @throws Error if the page was not rendered, or the handler runs in a thread of its own
   */
  get browser(): BrowserPage {
    if (this.#browser === 'isolated')
      throw new Error('page.browser cannot be used in a thread: run the spider without isolated (--isolated)')
    if (this.#browser === undefined)
      throw new Error(
        `${this.url} was not rendered, so it has no page.browser: set render: 'always' for the spider or this handler, or run with --render always`,
      )
    return this.#browser
  }

  /** Reads the HTML of a rendered page again, so that `css()`, `links()` and the others see what has changed in the browser. */
  async update(): Promise<void> {
    this.#bytes = Buffer.from(await this.browser.html(), 'utf8')
    this.#sniffed = undefined
    this.#decoded = undefined
    this.#document = undefined
    this.#tree = undefined
    this.#content = undefined
    this.#base = undefined
  }

  /** The URL of the request. After a redirect, it is the target. */
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

  /** The id of the session that requested this page; `undefined` without `sessions`. */
  get session(): string | undefined {
    return this.request.session
  }

  /** Links from a start request. */
  get depth(): number {
    return this.request.depth
  }

  /** The first header of that name; `undefined`: it was not sent. */
  header(name: string): string | undefined {
    return header(this.headers, name.toLowerCase())
  }

  /** The content type, detected from the bytes and the header: `text/html`. */
  get contentType(): string {
    return this.#type.type
  }

  /** The charset that the body was decoded from, as the Encoding standard names it: `utf-8`. */
  get charset(): string {
    return this.#text.charset
  }

  /** The decoded body. */
  get body(): string {
    return this.#text.text
  }

  /** The visible text of the page, or of the first match of `selector`; `''` without a match. */
  text(selector?: string): string {
    return selector === undefined ? this.document.text() : this.document.css(selector).text()
  }

  /** An attribute of the first match of `selector`; `undefined` without one. */
  attr(selector: string, name: string): string | undefined {
    return this.css(selector).attr(name)
  }

  /** The first number in the text of the first match of `selector`; `undefined` without one. */
  number(selector: string): number | undefined {
    return this.css(selector).number()
  }

  /**
   * The body as JSON; with a schema, validated and typed.
   * @throws SyntaxError when it is not JSON, TypeError when the schema rejects it
   */
  json(): unknown
  json<Output>(schema: StandardSchema<unknown, Output>): Output
  json<Output>(schema?: StandardSchema<unknown, Output>): unknown {
    const value: unknown = JSON.parse(this.body)
    if (schema === undefined) return value
    const verdict = schema['~standard'].validate(value)
    if (verdict instanceof Promise) throw new TypeError('page.json needs a synchronous schema')
    if (verdict.issues !== undefined) throw new TypeError(`${this.url}: ${describeIssues(verdict.issues)}`)
    return verdict.value
  }

  /** The whole page as a selection. */
  get document(): Selection {
    this.#document ??= new Selection([this.#root], isXml(this.#type.type) ? 'xml' : 'html')
    return this.#document
  }

  /**
   * The main content of the page: its text without navigation, banners, notices, sidebars and footers, and its title, author,
   * language and dates. A page that is not HTML has only its text.
   */
  content(): PageContent {
    if (this.#type.kind !== 'html') return { title: '', text: this.body }
    return { ...this.#reader.describe(), text: this.#reader.text() }
  }

  /** The main content as Markdown, with absolute links. */
  markdown(): string {
    return this.#type.kind === 'html' ? this.#reader.markdown() : plainMarkdown(this.body).join('\n\n')
  }

  /** The feed with its entries: RSS, Atom or JSON Feed; `undefined` if the page is not a feed. */
  feed(): WebFeed | undefined {
    return feedOf(this.url, this.#type.kind, this.#text)
  }

  /** Data that the page has for machines: JSON-LD, Open Graph and microdata. */
  structured(): StructuredData {
    if (this.#type.kind !== 'html') return { jsonLd: [], openGraph: {}, microdata: [] }
    return this.#reader.structured
  }

  /** The matches of a CSS selector; with `::text` or `::attr(name)` at its end, texts or attributes. */
  css(selector: string): Selection {
    return this.document.css(selector)
  }

  /** The matches of an XPath 1.0 expression. */
  xpath(expression: string): Selection {
    return this.document.xpath(expression)
  }

  /** The links of the page, normalised, without duplicates. */
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

  /** An item to return or yield. Missing fields may be `undefined`; the schema decides whether the item is valid. */
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

  /** Requests for several links: of the matches of a CSS selector (their `href`, or the links inside them), or for the given URLs. */
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
   * A file to download and record in an item of this page: path, hash, size and type. A missing URL (`undefined`) gives `undefined`, which may
   * be yielded. The item is stored when all its files are downloaded, or have failed.
   */
  download(href: string, options?: DownloadOptions): DownloadOutput
  download(href: string | undefined, options?: DownloadOptions): DownloadOutput | undefined
  download(href: string | undefined, options?: DownloadOptions): DownloadOutput | undefined {
    return href === undefined ? undefined : new DownloadOutput(href, this.#baseUrl, options)
  }

  /** Files for all matches of a CSS selector (their `src` or `href`), or for the given URLs. They are a list in the item. */
  *downloadAll(
    files: string | Selection | Iterable<string>,
    { as = 'files[]', ...options }: DownloadOptions = {},
  ): Generator<DownloadOutput> {
    const list = as.endsWith('[]') ? as : `${as}[]`
    for (const file of typeof files === 'string' ? this.css(files) : files) {
      const href = typeof file === 'string' ? file : (file.attr('src') ?? file.attr('href'))
      if (href !== undefined) yield new DownloadOutput(href, this.#baseUrl, { ...options, as: list })
    }
  }

  /**
   * The request that a browser sends for a form with these fields.
   * @param given `click`: the name of the pressed button; `false`: none. @default the first button
   * @throws FormMissing when `selector` matches no form
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

  get #root(): RootNode {
    this.#tree ??= buildTree(this.body, isXml(this.#type.type) ? 'xml' : 'html')
    return this.#tree
  }

  get #reader(): ContentReader {
    this.#content ??= new ContentReader(this.#root, this.url)
    return this.#content
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

  /** The base URL of relative links: that of `<base>`, or of the page. */
  get #baseUrl(): string {
    this.#base ??= this.#type.kind === 'html' ? this.#htmlBase() : this.url
    return this.#base
  }

  #htmlBase(): string {
    // Most pages have no <base>; do not build the tree for it.
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
