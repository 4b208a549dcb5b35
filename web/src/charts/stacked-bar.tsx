import type { StatusKind } from '../parts/status-badge.tsx'

export interface BarPart {
  readonly kind: StatusKind
  readonly label: string
  readonly count: number
}

interface StackedBarProps {
  readonly parts: readonly BarPart[]
  /** What screen readers are told. */
  readonly label: string
}

/** Shares of a whole, side by side. */
export function StackedBar({ parts, label }: StackedBarProps) {
  return (
    <div class="stacked-bar" role="img" aria-label={label}>
      {parts
        .filter(({ count }) => count > 0)
        .map(({ kind, label: name, count }) => (
          <span
            key={name}
            class={`fill ${kind}`}
            title={`${name}: ${count.toLocaleString('en-US')}`}
            style={{ flexGrow: count }}
          />
        ))}
    </div>
  )
}
