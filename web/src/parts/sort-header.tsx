interface SortHeaderProps {
  readonly text: string
  readonly order: 'asc' | 'desc' | undefined
  /** Class of the column. */
  readonly column: string
  readonly onSort: () => void
}

/** The head of a column that sorts its table. */
export function SortHeader({ text, order, column, onSort }: SortHeaderProps) {
  const sorted = order === undefined ? undefined : order === 'asc' ? 'ascending' : 'descending'
  return (
    <th scope="col" class={column} aria-sort={sorted}>
      <button type="button" class="sort-button" onClick={onSort}>
        {text}
        <span class="sort-sign" aria-hidden="true">
          {order === undefined ? '' : order === 'asc' ? '▲' : '▼'}
        </span>
      </button>
    </th>
  )
}
