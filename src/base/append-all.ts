/** Appends `more` to `list`. `list.push(...more)` overflows the stack with about 120,000 elements. */
export function appendAll<T>(list: T[], more: Iterable<T>): void {
  for (const element of more) list.push(element)
}
