import { type InspectOptions, inspect, types } from 'node:util'
import {
  formatBytes,
  formatCount,
  formatNumber,
  printableLine,
  printableLines,
} from '../base/format-values.ts'
import { Selection } from '../domain/selectors/selection.ts'
import { Page } from '../flows/spider/handler-page.ts'
import type { PageFetcher } from './page-fetcher.ts'

/** The names at the prompt. */
export interface ShellScope {
  /** The last fetched page; can be assigned. */
  page: Page
  css(selector: string): Selection
  xpath(expression: string): Selection
  /** Prints a summary of the page. */
  view(): void
  /** Fetches another page, which becomes `page`. */
  fetch(url: string): Promise<Page>
}

export function shellScope(
  first: Page,
  fetcher: Pick<PageFetcher, 'fetchPage'>,
  print: (text: string) => void,
): ShellScope {
  let page = first
  return {
    get page() {
      return page
    },
    set page(other) {
      if (!(other instanceof Page))
        throw new TypeError('page must be a page, such as the result of await fetch(url)')
      page = other
    },
    css: (selector) => page.css(selector),
    xpath: (expression) => page.xpath(expression),
    view() {
      print(viewText(page))
    },
    fetch(url) {
      const fetched = fetcher.fetchPage(String(url), page.url).then((other) => {
        page = other
        return other
      })
      // Without await, a failure must not become an unhandled rejection.
      fetched.catch(() => {})
      return fetched
    },
  }
}

/**
 * The value of an expression, or `undefined` for statements; both may `await`.
 * @throws what it throws, SyntaxError
 */
export async function evaluate(code: string, scope: ShellScope): Promise<unknown> {
  return compiled(code.replace(/[;\s]+$/, ''))(scope)
}

type Program = (scope: ShellScope) => Promise<unknown>

function compiled(code: string): Program {
  try {
    return program(`(${code}\n)`)
  } catch {
    return program(`{${code}\n}`)
  }
}

/** `with` resolves names at each use: `page` changes after `await fetch(url)`. */
function program(body: string): Program {
  return new Function('scope', `with (scope) return (async () => ${body})()`) as Program
}

/** A value as the prompt shows it, safe for a terminal. */
export function valueText(value: unknown): string {
  if (types.isNativeError(value)) return errorText(value)
  if (types.isPromise(value)) return 'a promise: add await'
  return printableLines(inspect(value, INSPECT))
}

/** The error of an expression, without the stack, which has only frames of Orbweaver. */
export function errorText(error: unknown): string {
  return types.isNativeError(error) ? printableLines(`${error.name}: ${error.message}`) : valueText(error)
}

/** Replacer for `JSON.stringify` that converts pages and selections. */
export function jsonValue(_key: string, value: unknown): unknown {
  if (value instanceof Selection) return value.getAll()
  if (!(value instanceof Page)) return value
  const { url, status, contentType, charset, bytes } = value
  return { url, status, contentType, charset, bytes: bytes.length, title: titleOf(value) }
}

/** A summary of a page. */
export function viewText(page: Page): string {
  const via = page.request.redirectedFrom ?? []
  const rows: [string, string][] = [
    ['url', printableLine(page.url, 2_000)],
    ...via.map((url): [string, string] => ['from', printableLine(url, 2_000)]),
    ['response', responseText(page)],
    ['title', titleOf(page) || '-'],
    ['links', formatCount(page.links().length, 'link')],
    ['text', printableLine(page.text(), 300) || '-'],
  ]
  return rows.map(([label, text]) => `${label.padEnd(10)}${text}\n`).join('')
}

/** Makes `util.inspect` show pages and selections, also in lists and objects. Changes the prototypes: call it once, in a shell. */
export function addInspectors(): void {
  describe(Page, (page) => `Page ${printableLine(page.url, 2_000)} · ${responseText(page)}`)
  describe(Selection, selectionText)
}

const INSPECT: InspectOptions = { depth: 4, maxArrayLength: 50, maxStringLength: 10_000, breakLength: 100 }
const MAX_SHOWN = 20

function describe<T>(kind: { readonly prototype: T }, text: (value: T) => string): void {
  Object.defineProperty(kind.prototype, inspect.custom, {
    configurable: true,
    value(this: T) {
      return text(this)
    },
  })
}

function selectionText(selection: Selection): string {
  if (!selection.exists) return 'nothing found'
  const lines = selection
    .getAll()
    .slice(0, MAX_SHOWN)
    .map((source) => printableLine(source))
  const more = selection.length - MAX_SHOWN
  return [...lines, ...(more > 0 ? [`… and ${formatNumber(more)} more; getAll() returns all`] : [])].join(
    '\n',
  )
}

function responseText({ status, contentType, charset, bytes }: Page): string {
  return `${status} · ${contentType} · ${charset} · ${formatBytes(bytes.length)}`
}

function titleOf(page: Page): string {
  return printableLine(page.text('title'))
}
