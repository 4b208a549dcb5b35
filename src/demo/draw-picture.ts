/** A landscape as SVG, the same for the same `seed`: a sky, a sun or moon, and hills one behind the other. */
export function drawPicture(seed: string): string {
  const random = numbersFrom(seed)
  const hue = Math.floor(random() * 360)
  const hills = [0, 1, 2, 3].map((i) => {
    const heights = Array.from(
      { length: 7 },
      (_, x) => `${x * 100},${140 + i * 55 + Math.floor(random() * 60)}`,
    )
    return `<polygon fill="hsl(${(hue + 140) % 360} 30% ${60 - i * 13}%)" points="0,400 ${heights.join(' ')} 600,400"/>`
  })
  const x = 80 + Math.floor(random() * 440)
  return `<svg viewBox="0 0 600 400" role="img" aria-label="a landscape"><rect width="600" height="400" fill="hsl(${hue} 60% 82%)"/><circle cx="${x}" cy="90" r="38" fill="hsl(${(hue + 40) % 360} 90% 92%)"/>${hills.join('')}</svg>`
}

/** Numbers from 0 to below 1 that only look random: a linear congruential generator, good enough for hills. */
function numbersFrom(seed: string): () => number {
  let state = 7
  for (const letter of seed) state = (state * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
