import type { Json, JsonObject } from '../../base/json.ts'
import type { ElementNode, RootNode, TreeNode } from '../selectors/nodes.ts'
import { readMicrodata } from './microdata.ts'

/** What a page says about itself for machines. All texts are those of the page: untrusted. */
export interface StructuredData {
  /** Objects of `<script type="application/ld+json">`; those in an array or in `@graph` each by itself. */
  readonly jsonLd: readonly JsonObject[]
  /** `<meta property="og:title">` and the like (`article:`, `product:`, `twitter:`), by their names; the first of each. */
  readonly openGraph: Readonly<Record<string, string>>
  /** Items of `itemscope`, outermost ones only; items inside are values of their properties. */
  readonly microdata: readonly JsonObject[]
}

/** Reads what is there and skips what is damaged. Large and deep data is cut off, see the limits below. */
export function structuredData(root: RootNode): StructuredData {
  const jsonLd: JsonObject[] = []
  const openGraph: Record<string, string> = Object.create(null) as Record<string, string>
  for (let element = root.following; element !== null; element = element.following) {
    if (element.name === 'script') addJsonLd(element, jsonLd)
    else if (element.name === 'meta') addOpenGraph(element, openGraph)
  }
  return {
    jsonLd,
    openGraph: { ...openGraph },
    microdata: ITEMS.test(root.source) ? readMicrodata(root) : [],
  }
}

/** Few pages have it: looking for the attribute in each element takes ten times as long. */
const ITEMS = /itemscope/i

/** Objects per page, characters per script, properties per page, levels. */
export const STRUCTURED_LIMITS = { objects: 200, chars: 1_000_000, properties: 200, depth: 20 } as const

function addJsonLd(script: ElementNode, found: JsonObject[]): void {
  if (!/^\s*application\/ld\+json\s*(?:;|$)/i.test(script.attribute('type') ?? '')) return
  const text = textInside(script)
  if (text.length > STRUCTURED_LIMITS.chars) return
  const value = parseLeniently(text)
  if (value !== undefined) addObjects(value, found)
}

function textInside(element: ElementNode): string {
  let text = ''
  for (let child: TreeNode | null = element.firstChild; child !== null; child = child.next)
    if (child.nodeType === 3) text += child.data
  return text
}

/** As written, or else without the comments and control characters that templates leave in it. */
function parseLeniently(text: string): unknown {
  for (const attempt of [
    text,
    text
      .replace(/^\s*(?:<!--|\/\*.*?\*\/|\/\/[^\n]*<!\[CDATA\[)|(?:-->|\/\/\s*\]\]>)\s*$/gs, '')
      .replace(/[\u0000-\u001f]/g, ' '),
  ])
    try {
      return JSON.parse(attempt) as unknown
    } catch {
      // The next attempt, or nothing.
    }
  return undefined
}

function addObjects(value: unknown, found: JsonObject[]): void {
  for (const one of Array.isArray(value) ? value : [value]) {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) continue
    const graph = (one as Record<string, unknown>)['@graph']
    if (Array.isArray(graph))
      addObjects(
        graph.filter((inner) => !Array.isArray(inner) && !hasGraph(inner)),
        found,
      )
    else if (found.length < STRUCTURED_LIMITS.objects) found.push(limited(one, 0) as JsonObject)
  }
}

function hasGraph(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '@graph' in value
}

/** Without what is nested deeper than the limit. */
function limited(value: unknown, depth: number): Json | undefined {
  if (typeof value !== 'object' || value === null) return value as Json
  if (depth >= STRUCTURED_LIMITS.depth) return undefined
  if (Array.isArray(value)) return value.flatMap((inner) => limited(inner, depth + 1) ?? [])
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    const kept = limited(inner, depth + 1)
    return kept === undefined ? [] : [[key, kept] as const]
  })
  return Object.fromEntries(entries)
}

const PREFIXES = /^(?:og|article|book|profile|video|music|product|twitter|fb):/

function addOpenGraph(meta: ElementNode, found: Record<string, string>): void {
  const name = (meta.attribute('property') ?? meta.attribute('name'))?.trim().toLowerCase()
  const content = meta.attribute('content')?.trim()
  if (name === undefined || !content || !PREFIXES.test(name) || name in found) return
  if (Object.keys(found).length < STRUCTURED_LIMITS.properties) found[name] = content
}
