import type { Selection } from '../domain/selectors/selection.ts'
import { Page } from '../flows/spider/handler-page.ts'
import type { PageFetcher } from './page-fetcher.ts'
import { viewText } from './shell-value.ts'

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
      if (!(other instanceof Page)) throw new TypeError('page can only be a page, as fetch(url) gives it')
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
