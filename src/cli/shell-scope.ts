import type { Selection } from '../domain/selectors/selection.ts'
import { Page } from '../flows/spider/handler-page.ts'
import type { PageAsker } from './page-asker.ts'
import { viewText } from './shell-value.ts'

/** What has a name at the prompt. */
export interface ShellScope {
  /** The last page that was asked; another may be assigned. */
  page: Page
  css(selector: string): Selection
  xpath(expression: string): Selection
  /** Prints what the page is about. */
  view(): void
  /** Asks for another page, which becomes `page`. */
  fetch(url: string): Promise<Page>
}

export function shellScope(
  first: Page,
  asker: Pick<PageAsker, 'ask'>,
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
      const asked = asker.ask(String(url), page.url).then((other) => {
        page = other
        return other
      })
      // Who awaits it hears of a failure; who forgot to must not see it in the midst of something else.
      asked.catch(() => {})
      return asked
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

/** With `with` a name means what it means at that moment: `page` is another one after `await fetch(url)`. */
function program(body: string): Program {
  return new Function('scope', `with (scope) return (async () => ${body})()`) as Program
}
