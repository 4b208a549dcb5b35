/**
 * The names that an environment variable chooses: names with commas between them.
 * @param usual the names when it is not set
 * @throws if it has an unknown name
 */
export function chosenNames<Name extends string>(
  variable: string,
  known: readonly Name[],
  usual: readonly Name[] = known,
): readonly Name[] {
  const said = process.env[variable]?.split(',')
  if (said === undefined) return usual
  const isKnown = (name: string): name is Name => known.some((one) => one === name)
  const unknown = said.filter((name) => !isKnown(name))
  if (unknown.length === 0) return said.filter(isKnown)
  throw new Error(`${variable} has unknown names: ${unknown.join(', ')}. Known names: ${known.join(', ')}`)
}
