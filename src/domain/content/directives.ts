import { appendAll } from '../../base/append-all.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { type HeaderList, headerValues } from '../fetch/headers.ts'
import { parseWebDate } from './web-date.ts'

/** The source of a directive, as written. */
export interface DirectiveSource {
  /** `noindex`, `max-snippet`, …: what it means, after `none` and `nocache` were translated. */
  readonly directive: string
  readonly from: 'header' | 'meta'
  /** `robots` for a directive to all crawlers; otherwise our product token, as written there. */
  readonly agent: string
  /** The directive as written: `None`, `max-snippet: 20`. */
  readonly text: string
}

/** Robots directives of a page. Everything is false or absent unless the page states it. */
export interface Directives {
  readonly noindex: boolean
  readonly nofollow: boolean
  readonly noarchive: boolean
  readonly nosnippet: boolean
  readonly noimageindex: boolean
  readonly notranslate: boolean
  readonly indexifembedded: boolean
  readonly noai: boolean
  readonly noimageai: boolean
  /** Characters. */
  readonly maxSnippet?: number
  /** Seconds. */
  readonly maxVideoPreview?: number
  readonly maxImagePreview?: 'none' | 'standard' | 'large'
  /** Milliseconds since the epoch. */
  readonly unavailableAfter?: number
  readonly sources: readonly DirectiveSource[]
}

/** Where the directives of a page are: its headers and metas. */
export interface DirectiveInput {
  readonly headers: HeaderList
  /** Every named meta of the page, wherever it stood; names in lower case. */
  readonly metas: ReadonlyArray<{ readonly name: string; readonly content: string }>
  /** Our product token: directives for it count like those for all crawlers; those for other crawlers do not. */
  readonly agent: string
}

/**
 * X-Robots-Tag headers and robots metas together: the union of what is forbidden, the smallest of what is limited.
 * @example
 * const headers: HeaderList = [['x-robots-tag', 'noindex']]
 * mergeDirectives({ headers, metas: [], agent: 'my-bot' }).noindex // → true
 */
export function mergeDirectives({ headers, metas, agent }: DirectiveInput): Directives {
  const merged = new MergedDirectives()
  const ourName = agent.toLowerCase()
  for (const value of headerValues(headers, 'x-robots-tag')) {
    for (const said of readHeader(value)) {
      if (said.agent === '' || said.agent === '*' || said.agent.toLowerCase() === ourName)
        merged.add(said.text, 'header', said.agent === '' ? 'robots' : said.agent)
    }
  }
  for (const { name, content } of metas) {
    if (name !== 'robots' && name !== ourName) continue
    for (const text of splitDirectives(content)) merged.add(text, 'meta', name)
  }
  return merged.result()
}

const FLAGS = [
  'noindex',
  'nofollow',
  'noarchive',
  'nosnippet',
  'noimageindex',
  'notranslate',
  'indexifembedded',
  'noai',
  'noimageai',
] as const
type Flag = (typeof FLAGS)[number]

const MEANING: ReadonlyMap<string, readonly Flag[]> = new Map<string, readonly Flag[]>([
  ...FLAGS.map((flag) => [flag, [flag]] as const),
  ['none', ['noindex', 'nofollow']],
  ['nocache', ['noarchive']],
])
/** Allowances that change nothing, but show that a word is a directive and not an agent's name. */
const ALLOWANCES = new Set(['all', 'index', 'follow', 'archive', 'snippet'])
const VALUED = new Set(['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after'])
const IMAGE_PREVIEWS = ['none', 'standard', 'large'] as const
const PREVIEW_ORDER: readonly string[] = IMAGE_PREVIEWS

/** All directives count, however often they are repeated; only so many are quoted. */
const MAX_SOURCES = 100

class MergedDirectives {
  readonly #flags = new Set<Flag>()
  readonly #sources: DirectiveSource[] = []
  #maxSnippet = Number.POSITIVE_INFINITY
  #maxVideoPreview = Number.POSITIVE_INFINITY
  #imagePreview: number = IMAGE_PREVIEWS.length
  #unavailableAfter = Number.POSITIVE_INFINITY

  add(text: string, from: DirectiveSource['from'], agent: string): void {
    for (const directive of this.#take(text)) {
      if (this.#sources.length < MAX_SOURCES) this.#sources.push({ directive, from, agent, text })
    }
  }

  /** The directives that the text turned out to be: none when it is unknown or its value makes no sense. */
  #take(text: string): readonly string[] {
    const colon = text.indexOf(':')
    if (colon < 0) {
      const flags = MEANING.get(text.toLowerCase()) ?? []
      for (const flag of flags) this.#flags.add(flag)
      return flags
    }
    const name = text.slice(0, colon).trim().toLowerCase()
    return this.#takeValue(name, text.slice(colon + 1).trim()) ? [name] : []
  }

  #takeValue(name: string, value: string): boolean {
    if (name === 'unavailable_after') {
      const time = parseWebDate(value)
      if (time !== undefined) this.#unavailableAfter = Math.min(this.#unavailableAfter, time)
      return time !== undefined
    }
    if (name === 'max-image-preview') {
      const preview = PREVIEW_ORDER.indexOf(value.toLowerCase())
      if (preview >= 0) this.#imagePreview = Math.min(this.#imagePreview, preview)
      return preview >= 0
    }
    // -1 is "no limit", which limits nothing.
    if (!/^\d{1,9}$/.test(value)) return false
    if (name === 'max-snippet') this.#maxSnippet = Math.min(this.#maxSnippet, Number(value))
    else if (name === 'max-video-preview')
      this.#maxVideoPreview = Math.min(this.#maxVideoPreview, Number(value))
    else return false
    return true
  }

  result(): Directives {
    const has = (flag: Flag) => this.#flags.has(flag)
    const imagePreview = IMAGE_PREVIEWS[this.#imagePreview]
    return {
      noindex: has('noindex'),
      nofollow: has('nofollow'),
      noarchive: has('noarchive'),
      nosnippet: has('nosnippet'),
      noimageindex: has('noimageindex'),
      notranslate: has('notranslate'),
      indexifembedded: has('indexifembedded'),
      noai: has('noai'),
      noimageai: has('noimageai'),
      ...(Number.isFinite(this.#maxSnippet) && { maxSnippet: this.#maxSnippet }),
      ...(Number.isFinite(this.#maxVideoPreview) && { maxVideoPreview: this.#maxVideoPreview }),
      ...withoutUndefined({ maxImagePreview: imagePreview }),
      ...(Number.isFinite(this.#unavailableAfter) && { unavailableAfter: this.#unavailableAfter }),
      sources: this.#sources,
    }
  }
}

/** A header may name an agent, and after a proxy has joined several, more than one: each speaks for what follows it. */
function readHeader(value: string): Array<{ agent: string; text: string }> {
  const said: Array<{ agent: string; text: string }> = []
  let agent = ''
  for (const text of splitDirectives(value)) {
    const colon = text.indexOf(':')
    const name = text.slice(0, Math.max(0, colon)).trim()
    const value = text.slice(colon + 1).trim()
    if (colon < 0 || VALUED.has(name.toLowerCase()) || !startsDirective(value)) said.push({ agent, text })
    else {
      agent = name
      for (const own of splitDirectives(value)) said.push({ agent, text: own })
    }
  }
  return said
}

function startsDirective(text: string): boolean {
  const [, word = ''] = /^([\w-]+)/.exec(text.toLowerCase()) ?? []
  return MEANING.has(word) || ALLOWANCES.has(word) || VALUED.has(word)
}

const DATE_WITH_WEEKDAY = /unavailable_after\s*:\s*(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}$/i

/** At commas, semicolons and, where there is no value, white space; but a date may have a comma after its weekday. */
function splitDirectives(value: string): string[] {
  const pieces = value.split(/[,;]/)
  const directives: string[] = []
  for (let i = 0; i < pieces.length; i++) {
    let piece = (pieces[i] ?? '').trim()
    if (DATE_WITH_WEEKDAY.test(piece)) piece += `,${pieces[++i] ?? ''}`
    if (piece.includes(':')) directives.push(piece)
    else if (piece !== '') appendAll(directives, piece.split(/\s+/))
  }
  return directives
}
