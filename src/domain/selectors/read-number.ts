/**
 * The first number in a text, in the notations of shops and tables: `£51.77`, `1,299.00`, `1.299,00 €`, `1 299`, `1'299.50`, `-5`.
 * One separator with exactly three digits after it groups thousands: `1,299` is 1299, `1,29` is 1.29.
 * `undefined`: there is none.
 */
export function readNumber(text: string): number | undefined {
  const found = NUMBER.exec(text)?.groups
  if (found === undefined) return undefined
  const { minus, grouped, plain = '', decimals = '' } = found
  const value = Number(`${(grouped ?? plain).replace(/\D/g, '')}.${decimals}`)
  return minus === undefined ? value : -value
}

/** A minus counts where nothing is joined to it: in `A-5` it is a hyphen. */
const MINUS = String.raw`(?<minus>(?<![\p{L}\p{N}])[-−]\s?(?:\p{Sc}\s?)?)?`
const GROUPED = String.raw`(?<grouped>[1-9]\d{0,2}(?<mark>[.,'’\x20\u00a0\u202f])\d{3}(?:\k<mark>\d{3})*(?!\d))`
const NUMBER = new RegExp(String.raw`${MINUS}(?:${GROUPED}|(?<plain>\d+))(?:[.,](?<decimals>\d+))?`, 'u')
