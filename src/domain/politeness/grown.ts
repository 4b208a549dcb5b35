/** A copy of `array` with room for at least `length`, doubled as often as that takes; the new places hold 0. */
export function grown<A extends Float64Array | Int32Array>(
  array: A,
  make: new (length: number) => A,
  length: number,
): A {
  let capacity = array.length
  while (capacity < length) capacity *= 2
  const copy = new make(capacity)
  copy.set(array)
  return copy
}
