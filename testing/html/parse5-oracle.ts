import { type DefaultTreeAdapterMap, parse, html as spec } from 'parse5'

/** What the scanner must find, read from the tree of a parser that follows the standard to the letter. */
export interface OracleScan {
  readonly title: string
  readonly text: string
  readonly links: ReadonlyArray<{ kind: string; href: string; anchor: string; rel: readonly string[] }>
  readonly base: string | undefined
  readonly lang: string | undefined
  readonly metas: ReadonlyArray<{ name: string; content: string }>
  readonly canonical: string | undefined
}

type Node = DefaultTreeAdapterMap['node']
type Element = DefaultTreeAdapterMap['element']
type Attrs = Element['attrs']

/** Text as it comes, or a break between two pieces of it. */
type Piece = { readonly text: string; readonly preformatted: boolean } | 'cell' | 'line'

interface OpenLink {
  readonly kind: string
  readonly href: string
  readonly rel: readonly string[]
  readonly pieces: Piece[]
  alt: string
}

interface Place {
  readonly preformatted: boolean
  readonly hidden: boolean
}

/** Written for clearness, not for speed: this is the definition that the scanner is tested against. */
export function readWithParse5(source: string): OracleScan {
  return new Oracle().read(source)
}

class Oracle {
  #title: string | undefined
  #base: string | undefined
  #lang: string | undefined
  #canonical: string | undefined
  #current: OpenLink | undefined
  readonly #pieces: Piece[] = []
  readonly #links: OpenLink[] = []
  readonly #metas: Array<{ name: string; content: string }> = []
  /**
   * A parser repairs misnested formatting by cloning: one `<a>` tag may become several elements. They share the
   * attributes of their tag, and are one link.
   */
  readonly #linkOfTag = new Map<Attrs, OpenLink>()

  read(source: string): OracleScan {
    this.#walkChildren(parse(source, { scriptingEnabled: false }), { preformatted: false, hidden: false })
    return {
      title: this.#title ?? '',
      text: render(this.#pieces),
      links: this.#links.map(({ kind, href, rel, pieces, alt }) => ({
        kind,
        href,
        anchor: collapse(render(pieces)) || alt,
        rel,
      })),
      base: this.#base,
      lang: this.#lang,
      metas: this.#metas,
      canonical: this.#canonical,
    }
  }

  #walkChildren(node: Node, place: Place): void {
    // The content of a template is not among its children: it is not part of the page.
    if (!('childNodes' in node)) return
    for (const child of node.childNodes) {
      if (child.nodeName === '#text') this.#addText((child as DefaultTreeAdapterMap['textNode']).value, place)
      else if ('attrs' in child) this.#walkElement(child, place)
    }
  }

  #addText(text: string, { preformatted, hidden }: Place): void {
    if (hidden) return
    this.#pieces.push({ text, preformatted })
    this.#current?.pieces.push({ text, preformatted })
  }

  #walkElement(element: Element, place: Place): void {
    const isHtml = element.namespaceURI === spec.NS.HTML
    const name = element.tagName
    if (isHtml) this.#gather(element)
    const link = name === 'a' ? this.#openLink(element) : undefined
    if (isHtml && SKIPPED.has(name)) return

    const inside = {
      preformatted: place.preformatted || (isHtml && PREFORMATTED.has(name)),
      hidden: element.namespaceURI === spec.NS.SVG ? name !== 'foreignObject' : place.hidden,
    }
    this.#break(isHtml, name, place)
    this.#walkChildren(element, inside)
    this.#break(isHtml, name, place)
    if (name === 'a' && (link === undefined || this.#current === link)) this.#current = undefined
  }

  #break(isHtml: boolean, name: string, { hidden }: Place): void {
    if (!isHtml || hidden) return
    const piece = CELLS.has(name) ? 'cell' : LINES.has(name) ? 'line' : undefined
    if (piece === undefined) return
    this.#pieces.push(piece)
    this.#current?.pieces.push(piece)
  }

  #openLink(element: Element): OpenLink | undefined {
    this.#current = undefined
    const href = attribute(element, 'href') ?? attribute(element, 'href', 'xlink')
    if (href === undefined) return undefined
    const known = this.#linkOfTag.get(element.attrs)
    this.#current = known ?? this.#addLink('a', href, element)
    this.#linkOfTag.set(element.attrs, this.#current)
    return this.#current
  }

  #addLink(kind: string, href: string, element: Element, alt = ''): OpenLink {
    const rel = (attribute(element, 'rel') ?? '')
      .toLowerCase()
      .split(/[\t\n\f\r ]+/)
      .filter(Boolean)
    const link: OpenLink = { kind, href: strip(href), rel, pieces: [], alt: collapse(alt) }
    this.#links.push(link)
    return link
  }

  #gather(element: Element): void {
    const name = element.tagName
    const href = attribute(element, 'href')
    const src = attribute(element, 'src')
    const alt = attribute(element, 'alt') ?? ''
    if (name === 'area' && href !== undefined) this.#addLink('area', href, element, alt)
    if ((name === 'frame' || name === 'iframe') && src !== undefined) this.#addLink(name, src, element)
    if (name === 'img' && this.#current?.alt === '') this.#current.alt = collapse(alt)
    if (name === 'base') this.#base ??= href
    if (name === 'html') this.#lang ??= attribute(element, 'lang') ?? attribute(element, 'xml:lang')
    if (name === 'title') this.#title ??= collapse(textOf(element))
    if (name === 'meta') this.#addMeta(element)
    if (name === 'link' && href !== undefined) {
      const { rel } = this.#addLink('link', href, element)
      if (rel.includes('canonical')) this.#canonical ??= strip(href)
    }
  }

  #addMeta(element: Element): void {
    const name = attribute(element, 'name')
    const content = attribute(element, 'content')
    if (name !== undefined && content !== undefined)
      this.#metas.push({ name: name.trim().toLowerCase(), content })
  }
}

const SKIPPED = new Set(['iframe', 'noembed', 'noframes', 'script', 'style', 'title'])
const PREFORMATTED = new Set(['listing', 'plaintext', 'pre', 'textarea', 'xmp'])
const CELLS = new Set(['td', 'th'])
const LINES = new Set(
  `address article aside blockquote br caption center dd details dialog dir div dl dt fieldset figcaption figure footer
  form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol optgroup option p plaintext pre search
  section summary table tbody tfoot thead tr ul xmp`.split(/\s+/),
)

function attribute(element: Element, name: string, prefix = ''): string | undefined {
  return element.attrs.find((attr) => attr.name === name && (attr.prefix ?? '') === prefix)?.value
}

function textOf(element: Element): string {
  return element.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
}

/** One line for each block, a tab between cells; white space collapsed except in preformatted pieces. */
function render(pieces: readonly Piece[]): string {
  const out: string[] = []
  let pending: '' | ' ' | '\t' | '\n' = ''
  for (const piece of pieces) {
    if (piece === 'line') pending = '\n'
    else if (piece === 'cell') pending = pending === '\n' ? '\n' : '\t'
    else {
      for (const c of piece.text) {
        if (!piece.preformatted && isSpace(c)) {
          pending ||= ' '
          continue
        }
        const before = out.at(-1)
        // After preformatted text that ended with the like of it, a break is not written.
        const repeats = (pending === '\n' && before === '\n') || (pending === '\t' && isSpace(before ?? ''))
        if (pending !== '' && before !== undefined && !repeats) out.push(pending)
        pending = ''
        out.push(c)
      }
    }
  }
  while (isSpace(out.at(-1) ?? '')) out.pop()
  return out.join('')
}

function isSpace(c: string): boolean {
  return c === ' ' || c === '\n' || c === '\t' || c === '\f' || c === '\r'
}

function collapse(text: string): string {
  return text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '')
}

/** Control characters and space, as the URL parser has it. */
function strip(href: string): string {
  return href.replace(/^[\u0000-\u0020]+/, '').replace(/[\u0000-\u0020]+$/, '')
}
