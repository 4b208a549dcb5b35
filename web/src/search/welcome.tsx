import type { Overview } from '../../../src/adapters/serve/answers.ts'
import { useAnswer } from '../parts/ask.ts'
import { placeOf } from '../parts/location.ts'
import { PlaceLink } from '../parts/place-link.tsx'
import { count, counted } from '../parts/shown.ts'

const HOSTS = 8

/** What stands below the box while nothing is searched for. */
export function Welcome() {
  const { value } = useAnswer<Overview>('/api/overview')
  const hosts = value?.db?.topHosts.filter(({ fetched }) => fetched > 0) ?? []
  return (
    <div class="welcome">
      {value?.db !== undefined && (
        <p>
          {counted(value.db.total, 'URL')} of {counted(value.db.hosts, 'host')} in{' '}
          <code>{value.directory}</code>. <PlaceLink to="/statistics">Statistics</PlaceLink>
        </p>
      )}
      {value !== undefined && value.db === undefined && (
        <p>
          <code>{value.directory}</code>. <PlaceLink to="/statistics">Statistics</PlaceLink>
        </p>
      )}
      {hosts.length > 0 && (
        <ul class="chips" aria-label="Hosts">
          {hosts.slice(0, HOSTS).map(({ host, fetched }) => (
            <li key={host}>
              <PlaceLink to={placeOf('/', { site: host })} class="chip">
                {host} <span>{count(fetched)}</span>
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
          <dd>the words as they stand</dd>
        </div>
        <div>
          <dt>
            <code>silk OR thread</code>
          </dt>
          <dd>either</dd>
        </div>
        <div>
          <dt>
            <code>web -sheet</code>
          </dt>
          <dd>without a word</dd>
        </div>
        <div>
          <dt>
            <code>spid*</code>
          </dt>
          <dd>what begins so</dd>
        </div>
        <div>
          <dt>
            <code>site: type: lang:</code>
          </dt>
          <dd>filters, in words</dd>
        </div>
      </dl>
    </div>
  )
}
