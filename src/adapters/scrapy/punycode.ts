// The numbers of RFC 3492, section 5.
const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700
const INITIAL_BIAS = 72
const INITIAL_N = 0x80

/** The Punycode of a label, without `xn--`. Node's own module is deprecated, and `domainToASCII` maps by other rules first. */
export function encodePunycode(label: string): string {
  const points = Array.from(label, (character) => character.codePointAt(0) ?? 0)
  const basic = points.filter((point) => point < INITIAL_N)
  let output = basic.map((point) => String.fromCharCode(point)).join('')
  if (basic.length > 0) output += '-'

  let bias = INITIAL_BIAS
  let delta = 0
  let handled = basic.length
  // The distinct code points in ascending order: each round inserts all occurrences of one of them.
  let previous = INITIAL_N
  for (const next of [...new Set(points)].filter((point) => point >= INITIAL_N).sort((a, b) => a - b)) {
    delta += (next - previous) * (handled + 1)
    for (const point of points) {
      if (point < next) delta++
      if (point !== next) continue
      output += variableLength(delta, bias)
      bias = adapted(delta, handled + 1, handled === basic.length)
      delta = 0
      handled++
    }
    delta++
    previous = next + 1
  }
  return output
}

function variableLength(delta: number, bias: number): string {
  let text = ''
  let rest = delta
  for (let k = BASE; ; k += BASE) {
    const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX)
    if (rest < threshold) return text + digit(rest)
    text += digit(threshold + ((rest - threshold) % (BASE - threshold)))
    rest = Math.floor((rest - threshold) / (BASE - threshold))
  }
}

function adapted(delta: number, handled: number, isFirst: boolean): number {
  let rest = Math.floor(isFirst ? delta / DAMP : delta / 2)
  rest += Math.floor(rest / handled)
  let k = 0
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW))
}

/** 0 to 25 are letters, 26 to 35 digits: not the order of base 36. */
function digit(value: number): string {
  return String.fromCharCode(value < 26 ? value + 0x61 : value - 26 + 0x30)
}
