import { useState } from 'preact/hooks'
import type { LiveItem, LiveItems, LiveRejectedItem } from '../../../src/domain/live/live-report.ts'
import { formatNumber } from '../parts/format.ts'
import { WebLink } from '../parts/links.tsx'
import { RelativeTime } from '../parts/now.tsx'
import { cutEnd, cutMiddle, safeText } from '../parts/safe-text.ts'
import { cellText, cutCell, isShort, itemColumns } from './item-cells.ts'

const COLUMNS = 12
const ROWS = 10

interface ItemsPanelProps {
  readonly items: LiveItems
  /** In total. */
  readonly rejected: number
}

/** The latest items of a spider, and those that its schema rejected. */
export function ItemsPanel({ items, rejected }: ItemsPanelProps) {
  return (
    <>
      <section class="panel wide" aria-labelledby="items">
        <h2 id="items">Latest items</h2>
        {items.latest.length === 0 ? <p class="quiet">No item yet.</p> : <ItemTable items={items.latest} />}
      </section>
      {items.rejected.length > 0 && (
        <section class="panel wide" aria-labelledby="rejected">
          <h2 id="rejected">
            Rejected items <span class="aside number">{formatNumber(rejected)} in total</span>
          </h2>
          <RejectedTable items={items.rejected} />
        </section>
      )}
    </>
  )
}

function ItemTable({ items }: { readonly items: readonly LiveItem[] }) {
  const [isOpen, setOpen] = useState(false)
  const shown = isOpen ? items : items.slice(0, ROWS)
  const columns = itemColumns(
    items.map(({ item }) => item),
    COLUMNS,
  )
  return (
    <>
      <div class="scroll">
        <table class="list item-table">
          <thead>
            <tr>
              <th scope="col">Time</th>
              {columns.map((column) => (
                <th key={column} scope="col" title={safeText(cutEnd(column, 200))}>
                  {cutMiddle(safeText(column), 30)}
                </th>
              ))}
              <th scope="col">Page</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ at, url, item }, i) => (
              <tr key={itemKey(items, i)}>
                <td class="when">
                  <RelativeTime at={at} />
                </td>
                {columns.map((column) => (
                  <td key={column}>
                    <Value text={cellText(Object.hasOwn(item, column) ? item[column] : undefined)} />
                  </td>
                ))}
                <td class="url-cell">
                  <WebLink url={url} class="url-link">
                    {cutMiddle(safeText(url), 60)}
                  </WebLink>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {items.length > ROWS && (
        <button type="button" class="link-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show fewer' : `Show all ${items.length}`}
        </button>
      )}
    </>
  )
}

function RejectedTable({ items }: { readonly items: readonly LiveRejectedItem[] }) {
  return (
    <div class="scroll">
      <table class="list by-url">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Reason</th>
            <th scope="col">Item</th>
          </tr>
        </thead>
        <tbody>
          {items.slice(0, ROWS).map(({ at, url, item, reason }, i) => (
            <tr key={itemKey(items, i)}>
              <td class="when">
                <RelativeTime at={at} />
              </td>
              <td class="url-cell">
                <strong class="wrap">{safeText(cutEnd(reason, 500))}</strong>
                <p class="reason">
                  <WebLink url={url} class="url-link">
                    {cutMiddle(safeText(url), 100)}
                  </WebLink>
                </p>
              </td>
              <td>
                <code>
                  <Value text={cellText(item)} />
                </code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The same for an item when newer ones come: an expanded value stays expanded. */
function itemKey(items: readonly LiveItem[], i: number): string {
  const { at, url } = items[i] ?? { at: 0, url: '' }
  const older = items.slice(i + 1).filter((item) => item.at === at && item.url === url).length
  return `${at} ${older} ${url}`
}

/** A long value can be expanded. */
function Value({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false)
  if (isShort(text)) return <span class="value">{text}</span>
  return (
    <span class="value">
      {isOpen ? text : cutCell(text)}{' '}
      <button type="button" class="link-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'less' : 'more'}
      </button>
    </span>
  )
}
