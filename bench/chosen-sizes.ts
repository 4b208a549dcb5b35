/**
 * The sizes that an environment variable chooses: numbers with commas between them.
 * @param usual what it stands for when it is not set
 * @throws when it says something else
 */
export function chosenSizes(name: string, usual: string): number[] {
  const said = process.env[name] ?? usual
  const sizes = said.split(',').map(Number)
  if (sizes.every((size) => Number.isFinite(size) && size > 0)) return sizes
  throw new Error(`${name} is “${said}”; give numbers above 0, as in ${name}=${usual}`)
}

/** The same for a single one. */
export function chosenSize(name: string, usual: number): number {
  const [size = usual, ...more] = chosenSizes(name, String(usual))
  if (more.length === 0 && Number.isInteger(size)) return size
  throw new Error(`${name} is “${process.env[name]}”; give one whole number, as in ${name}=${usual}`)
}
