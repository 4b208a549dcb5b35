import { useState } from 'preact/hooks'
import type { ControlledCrawl } from '../../../src/adapters/serve/control/control-schemas.ts'
import type { ServeAccess } from '../../../src/adapters/serve/responses.ts'
import { formatCount, formatTime } from '../parts/format.ts'
import { PlaceLink } from '../parts/links.tsx'
import { placeOf } from '../parts/location.ts'
import { safeText } from '../parts/safe-text.ts'
import { controlCall } from './control-call.ts'

interface CrawlRowProps {
  readonly crawl: ControlledCrawl
  readonly access: ServeAccess
  readonly onChange: () => void
}

/** One crawl: state, progress, links and buttons. */
export function CrawlRow({ crawl, access, onChange }: CrawlRowProps) {
  const { name, state, hasIndex, changedAt } = crawl
  const [maxPages, setMaxPages] = useState('')
  const [problem, setProblem] = useState('')
  const isRunning = ['running', 'paused', 'stopping'].includes(state)
  const send = (action: string, body: object = {}) =>
    void controlCall(access, `/crawls/${name}/${action}`, body).then((reason) => {
      setProblem(reason ?? '')
      onChange()
    })
  return (
    <tr>
      <th scope="row">
        <PlaceLink to={placeOf('/live', { crawl: name })}>{name}</PlaceLink>
      </th>
      <td>
        {STATES[state]}
        <p class="hint">{progressText(crawl)}</p>
        <p class="warning-text" role="status">
          {safeText(problem)}
        </p>
      </td>
      <td>{changedAt === undefined ? '' : formatTime(changedAt)}</td>
      <td>
        {hasIndex && <PlaceLink to={placeOf('/', { crawl: name })}>Search</PlaceLink>}{' '}
        <PlaceLink to={placeOf('/statistics', { crawl: name })}>Statistics</PlaceLink>
      </td>
      <td class="crawl-buttons">
        {isRunning ? (
          <>
            <button type="button" disabled={state === 'stopping'} onClick={() => send('stop')}>
              Stop
            </button>
            {state === 'running' && crawl.live !== undefined && (
              <button type="button" onClick={() => send('pause')}>
                Pause
              </button>
            )}
            {state === 'paused' && (
              <button type="button" onClick={() => send('resume')}>
                Continue
              </button>
            )}
          </>
        ) : (
          <>
            <input
              type="number"
              min="1"
              placeholder="no limit"
              aria-label={`Maximum number of pages of ${name}`}
              title="Maximum number of pages"
              value={maxPages}
              onInput={(event) => setMaxPages(event.currentTarget.value)}
            />
            <button
              type="button"
              onClick={() => send('start', maxPages === '' ? {} : { maxPages: Number(maxPages) })}
            >
              {state === 'interrupted' || state === 'stopped' ? 'Resume' : 'Start'}
            </button>
          </>
        )}
      </td>
    </tr>
  )
}

const STATES: Readonly<Record<ControlledCrawl['state'], string>> = {
  ...{ idle: 'Not started', running: 'Running', paused: 'Paused', stopping: 'Stopping' },
  ...{ finished: 'Finished', stopped: 'Stopped', failed: 'Failed', interrupted: 'Interrupted' },
}

function progressText({ live, job, problem }: ControlledCrawl): string {
  if (problem !== undefined) return safeText(problem)
  if (live !== undefined) return `${formatCount(live.pages, 'page')}, ${live.queued} queued`
  if (job?.error !== undefined) return safeText(job.error.message)
  const { pages, due = 0 } = job?.result ?? {}
  if (pages === undefined) return ''
  return `${formatCount(pages, 'page')} in the last run${due > 0 ? `, ${formatCount(due, 'URL')} due` : ''}`
}
