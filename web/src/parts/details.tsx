interface DetailsProps {
  readonly rows: ReadonlyArray<readonly [name: string, value: string]>
}

/** A list of names and values. */
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
