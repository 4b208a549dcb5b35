import type { LiveFleet, LiveWorker } from '../../../src/domain/live/live-report.ts'
import { formatCount, formatNumber, formatRate } from '../parts/format.ts'
import { RelativeTime, useNow } from '../parts/now.tsx'
import { cutEnd, cutMiddle, safeText } from '../parts/safe-text.ts'
import { heartbeatOf } from './heartbeat.ts'

/** The workers of a fleet, and its queue in Redis. */
export function FleetPanel({ fleet }: { readonly fleet: LiveFleet }) {
  const { workers, queue, deadLetters, startUrls } = fleet
  const figures = [
    ['Waiting', queue.waiting],
    ['Delayed', queue.delayed],
    ['Leased', queue.leased],
    ['Start URLs', startUrls],
    ['Dead letters', deadLetters],
    ['Seen URLs', queue.seen],
    ['Items', queue.items],
    ['Items not exported', queue.itemsLeft],
  ] as const
  return (
    <>
      <section class="panel wide" aria-labelledby="workers">
        <h2 id="workers">
          Workers <span class="aside number">{formatCount(workers.length, 'worker')}</span>
        </h2>
        {workers.length === 0 ? (
          <p class="quiet">No worker is registered. Start one with: orbweaver run … --redis URL</p>
        ) : (
          <div class="scroll">
            <table class="list cards worker-table">
              <thead>
                <tr>
                  <th scope="col">Worker</th>
                  {['Pages per second', 'Pages', 'Items', 'Hosts', 'Leased'].map((name) => (
                    <th key={name} scope="col" class="number">
                      {name}
                    </th>
                  ))}
                  <th scope="col">Last heartbeat</th>
                  <th scope="col">Joined</th>
                </tr>
              </thead>
              <tbody>
                {workers.map((worker) => (
                  <WorkerRow key={worker.name} worker={worker} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      <section class="panel wide" aria-labelledby="queue">
        <h2 id="queue">Queue in Redis</h2>
        <dl class="figures">
          {figures.map(([name, count]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class={name === 'Dead letters' && count > 0 ? 'warning-text' : ''}>
                {formatNumber(count)}
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  )
}

function WorkerRow({ worker }: { readonly worker: LiveWorker }) {
  const heartbeat = heartbeatOf(worker, useNow())
  return (
    <tr>
      <th scope="row" class="host-cell" title={cutEnd(safeText(worker.name), 1_000)}>
        {cutMiddle(safeText(worker.name), 40)}
      </th>
      <td class="number" data-label="Pages/s">
        {worker.pagesPerSecond === undefined ? '–' : formatRate(worker.pagesPerSecond)}
      </td>
      <td class="number" data-label="Pages">
        {worker.pages === undefined ? '–' : formatNumber(worker.pages)}
      </td>
      <td class="number" data-label="Items">
        {worker.items === undefined ? '–' : formatNumber(worker.items)}
      </td>
      <td class="number" data-label="Hosts">
        {formatNumber(worker.hosts)}
      </td>
      <td class="number" data-label="Leased">
        {formatNumber(worker.leased)}
      </td>
      <td class="when" data-label="Heartbeat">
        <RelativeTime at={worker.heardAt} />{' '}
        {heartbeat !== 'on-time' && (
          <span class={`badge ${heartbeat === 'late' ? 'moved' : 'gone'}`}>
            {heartbeat === 'late' ? 'late' : 'expired'}
          </span>
        )}
      </td>
      <td class="when joined-cell" data-label="Joined">
        <RelativeTime at={worker.joinedAt} />
      </td>
    </tr>
  )
}
