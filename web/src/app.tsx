import { useEffect, useRef, useState } from 'preact/hooks'
import type { CrawlList } from '../../src/adapters/serve/responses.ts'
import { TokenForm } from './live/token-form.tsx'
import { Header } from './parts/header.tsx'
import { KeyboardHelp } from './parts/keyboard-help.tsx'
import { latePage } from './parts/late-page.tsx'
import { goTo, useLocation } from './parts/location.ts'
import { Notice } from './parts/notice.tsx'
import { type ApiState, REFRESH_MS, useResponse } from './parts/use-response.ts'

// The live page, which is the largest, and the others do not wait for each other's code.
const CrawlsPage = latePage(async () => (await import('./crawls/crawls-page.tsx')).CrawlsPage)
const LivePage = latePage(async () => (await import('./live/live-page.tsx')).LivePage)
const SearchPage = latePage(async () => (await import('./search/search-page.tsx')).SearchPage)
const StatisticsPage = latePage(async () => (await import('./crawl/statistics-page.tsx')).StatisticsPage)
const UrlPage = latePage(async () => (await import('./crawl/url-page.tsx')).UrlPage)
const HostsPage = latePage(async () => (await import('./crawl/hosts-page.tsx')).HostsPage)
const HostPage = latePage(async () => (await import('./crawl/host-page.tsx')).HostPage)

export function App() {
  const { pathname, searchParams } = useLocation()
  const crawls = useCrawls()
  const isStarted = useStart(crawls.value, crawls.problem !== undefined)
  const id = searchParams.get('crawl')
  const crawl = crawls.value?.crawls.find((entry) => id === null || entry.id === id)
  const access = crawls.value?.access
  return (
    <>
      <Header pathname={pathname} crawl={crawl} hasControl={access?.requiresToken === true} />
      <main id="content" tabIndex={-1}>
        {!isStarted ? null : access?.requiresToken === true && !access.mayAct ? (
          <Notice title="This server needs its token">
            <p>orbweaver serve --control printed it when it started, or you chose it.</p>
            <TokenForm />
          </Notice>
        ) : pathname === '/crawls' && access?.requiresToken === true ? (
          <CrawlsPage access={access} />
        ) : pathname === '/live' ? (
          <LivePage parameters={searchParams} crawls={crawls} />
        ) : pathname === '/statistics' ? (
          <StatisticsPage range={searchParams.get('range') === 'all' ? 'all' : 'latest'} />
        ) : pathname === '/url' ? (
          <UrlPage url={searchParams.get('url') ?? ''} />
        ) : pathname === '/hosts' ? (
          <HostsPage parameters={searchParams} />
        ) : pathname === '/host' ? (
          <HostPage host={searchParams.get('host') ?? ''} />
        ) : (
          <SearchPage parameters={searchParams} />
        )}
      </main>
      <KeyboardHelp />
    </>
  )
}

/** The crawls of the server. The last list stays while the server cannot be reached. */
function useCrawls(): ApiState<CrawlList> {
  const state = useResponse<CrawlList>('/api/crawls', REFRESH_MS)
  const last = useRef<CrawlList>(undefined)
  if (state.value !== undefined) last.current = state.value
  return last.current === undefined ? state : { ...state, value: last.current }
}

/** Opens the live page first if there is nothing to search. Returns whether the first page is known. */
function useStart(list: CrawlList | undefined, failed: boolean): boolean {
  const [isStarted, setStarted] = useState(location.pathname !== '/' || location.search !== '')
  useEffect(() => {
    if (isStarted || (list === undefined && !failed)) return
    if (list?.access.requiresToken === true) goTo('/crawls', true)
    else if (list?.crawls[0]?.hasIndex === false) goTo('/live', true)
    setStarted(true)
  }, [isStarted, list, failed])
  return isStarted
}
