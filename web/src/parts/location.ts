import { useEffect, useState } from 'preact/hooks'

/** The address of the page, which holds all of its state. */
export function useLocation(): URL {
  const [href, setHref] = useState(location.href)
  useEffect(() => {
    const update = () => setHref(location.href)
    addEventListener('popstate', update)
    addEventListener(MOVED, update)
    return () => {
      removeEventListener('popstate', update)
      removeEventListener(MOVED, update)
    }
  }, [])
  return new URL(href)
}

/** Navigates within the page. @param replace whether to replace the current history entry */
export function goTo(place: string, replace = false): void {
  const staysInView = replace || viewOf(location.href) === viewOf(place)
  if (replace) history.replaceState(null, '', place)
  else history.pushState(null, '', place)
  if (!staysInView) scrollTo(0, 0)
  dispatchEvent(new Event(MOVED))
}

/**
 * A place of the page or an address of the API: `/host?host=example.org`. Parameters without a value are left out. If the server has several
 * crawls, the address of the page has the chosen one as `crawl`, and so has every place.
 */
export function placeOf(
  pathname: string,
  parameters: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const given = Object.entries({ crawl: chosenCrawl(), ...parameters }).filter(
    ([, value]) => value !== undefined && value !== '',
  )
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return query.size === 0 ? pathname : `${pathname}?${query}`
}

function chosenCrawl(): string | undefined {
  return new URLSearchParams(location.search).get('crawl') ?? undefined
}

/** A place without its preview panel, which does not affect the scroll position. */
function viewOf(place: string): string {
  const url = new URL(place, location.href)
  url.searchParams.delete('preview')
  return url.href
}

const MOVED = 'orbweaver:moved'

/** Sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Orbweaver' : `${title.slice(0, 100)} · Orbweaver`
  }, [title])
}
