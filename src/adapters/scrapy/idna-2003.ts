import { prepareName } from './nameprep.ts'
import { encodePunycode } from './punycode.ts'

/**
 * A host name as Python's `idna` codec writes it (RFC 3490 with the tables of 2003): `faß.de` is `fass.de`, where browsers
 * and our own normal form have `xn--fa-hia.de`. `undefined` where the codec fails: an empty or too long label, a forbidden
 * character, directions of writing that do not go together.
 *
 * Not exact for characters that are younger than Unicode 3.2 and have a compatibility form, such as 🄰, and for five of its
 * CJK compatibility characters, which were corrected later: Node knows today's tables only.
 */
export function toAscii2003(name: string): string | undefined {
  const labels = name.split(isAscii(name) ? '.' : /[.\u3002\uff0e\uff61]/)
  const root = labels.length > 1 && labels.at(-1) === '' ? labels.pop() : undefined
  const ascii: string[] = []
  for (const label of labels) {
    const encoded = labelToAscii(label)
    if (encoded === undefined || encoded === '' || encoded.length > MAX_LABEL) return undefined
    ascii.push(encoded)
  }
  return ascii.join('.') + (root === undefined ? '' : '.')
}

const MAX_LABEL = 63

function labelToAscii(label: string): string | undefined {
  if (isAscii(label)) return label
  const prepared = prepareName(label)
  if (prepared === undefined || isAscii(prepared)) return prepared
  // Each character, of one or two code units, takes a digit at least: a longer label has no code that fits, and to find out costs its square.
  if (prepared.startsWith('xn--') || prepared.length > 2 * MAX_LABEL) return undefined
  return `xn--${encodePunycode(prepared)}`
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}
