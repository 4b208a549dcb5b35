import type { Overview } from '../../../src/adapters/serve/responses.ts'
import { formatCount, formatNumber } from '../parts/format.ts'
import { PlaceLink } from '../parts/links.tsx'
import { placeOf } from '../parts/location.ts'
import { useResponse } from '../parts/use-response.ts'

const HOSTS = 8

/** The content below an empty search box. */
export function Welcome() {
  const { value } = useResponse<Overview>(placeOf('/api/overview'))
  const hosts = value?.db?.topHosts.filter(({ fetched }) => fetched > 0) ?? []
  return (
    <div class="welcome">
      {value?.db !== undefined && (
        <p>
          {formatCount(value.db.total, 'URL')} of {formatCount(value.db.hosts, 'host')} in{' '}
          <code>{value.directory}</code>. <PlaceLink to={placeOf('/statistics')}>Statistics</PlaceLink>
        </p>
      )}
      {value !== undefined && value.db === undefined && (
        <p>
          <code>{value.directory}</code>. <PlaceLink to={placeOf('/statistics')}>Statistics</PlaceLink>
        </p>
      )}
      {hosts.length > 0 && (
        <ul class="chips" aria-label="Hosts">
          {hosts.slice(0, HOSTS).map(({ host, fetched }) => (
            <li key={host}>
              <PlaceLink to={placeOf('/', { site: host })} class="chip">
                {host} <span>{formatNumber(fetched)}</span>
              </PlaceLink>
            </li>
          ))}
        </ul>
      )}
      <dl class="syntax">
        <div>
          <dt>
            <code>"garden spider"</code>
          </dt>
          <dd>exact phrase</dd>
        </div>
        <div>
          <dt>
            <code>silk OR thread</code>
          </dt>
          <dd>either word</dd>
        </div>
        <div>
          <dt>
            <code>web -sheet</code>
          </dt>
          <dd>excludes a word</dd>
        </div>
        <div>
          <dt>
            <code>spid*</code>
          </dt>
          <dd>prefix</dd>
        </div>
        <div>
          <dt>
            <code>site: filetype: lang: intitle: after:</code>
          </dt>
          <dd>filters</dd>
        </div>
      </dl>
    </div>
  )
}
