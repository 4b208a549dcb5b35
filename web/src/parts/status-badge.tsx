import { statusKind, statusText } from './status-words.ts'

export function StatusBadge({ status }: { readonly status: string }) {
  return (
    <span class={`badge ${statusKind(status)}`} title={status}>
      {statusText(status)}
    </span>
  )
}
