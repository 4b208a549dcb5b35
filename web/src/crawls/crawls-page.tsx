import { useState } from 'preact/hooks'
import type { ControlledCrawl } from '../../../src/adapters/serve/control/control-schemas.ts'
import type { ServeAccess } from '../../../src/adapters/serve/responses.ts'
import { useTitle } from '../parts/location.ts'
import { useResponse } from '../parts/use-response.ts'
import { CrawlRow } from './crawl-row.tsx'
import { NewCrawlForm } from './new-crawl-form.tsx'

/** The crawls of a server with the control API: list, start, stop, create. */
export function CrawlsPage({ access }: { readonly access: ServeAccess }) {
  useTitle('Crawls')
  // A change is shown at once, by a new address.
  const [changes, setChanges] = useState(0)
  const changed = () => setChanges((count) => count + 1)
  const { value, problem } = useResponse<{ crawls: readonly ControlledCrawl[] }>(
    `/api/v1/crawls?${changes}`,
    REFRESH_MS,
  )
  return (
    <div class="page">
      <h1>Crawls</h1>
      {problem !== undefined && <p class="banner">{problem}</p>}
      {value?.crawls.length === 0 && <p>This folder has no crawl yet. Create the first one below.</p>}
      {value !== undefined && value.crawls.length > 0 && (
        <div class="scroll">
          <table class="crawl-list">
            <thead>
              <tr>
                <th scope="col">Crawl</th>
                <th scope="col">State</th>
                <th scope="col">Last change</th>
                <th scope="col">Data</th>
                <th scope="col">Actions</th>
              </tr>
            </thead>
            <tbody>
              {value.crawls.map((crawl) => (
                <CrawlRow key={crawl.name} crawl={crawl} access={access} onChange={changed} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <section class="panel">
        <h2>New crawl</h2>
        <NewCrawlForm access={access} onCreated={changed} />
      </section>
    </div>
  )
}

const REFRESH_MS = 2_000
