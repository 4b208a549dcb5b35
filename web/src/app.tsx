import { HostPage } from './crawl/host-page.tsx'
import { StatisticsPage } from './crawl/statistics-page.tsx'
import { UrlPage } from './crawl/url-page.tsx'
import { Header } from './parts/header.tsx'
import { KeyboardHelp } from './parts/keyboard-help.tsx'
import { useLocation } from './parts/location.ts'
import { SearchPage } from './search/search-page.tsx'

export function App() {
  const { pathname, searchParams } = useLocation()
  return (
    <>
      <Header pathname={pathname} />
      <main id="content">
        {pathname === '/statistics' ? (
          <StatisticsPage range={searchParams.get('range') === 'all' ? 'all' : 'latest'} />
        ) : pathname === '/url' ? (
          <UrlPage url={searchParams.get('url') ?? ''} />
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
