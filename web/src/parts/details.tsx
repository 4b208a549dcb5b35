interface DetailsProps {
  readonly rows: ReadonlyArray<readonly [name: string, value: string]>
}

/** Names and values, one below the other. */
export function Details({ rows }: DetailsProps) {
  return (
    <dl class="details">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
