/** A copy without the properties that are `undefined`: for options that must be absent rather than `undefined`. */
export function withoutUndefined<T extends object>(properties: T): WithoutUndefined<T> {
  const present: Partial<T> = {}
  for (const key in properties) if (properties[key] !== undefined) present[key] = properties[key]
  return present as WithoutUndefined<T>
}

type WithoutUndefined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }
