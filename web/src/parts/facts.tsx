interface FactsProps {
  readonly facts: ReadonlyArray<readonly [name: string, value: string]>
}

/** Figures in a row. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl class="figures">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
