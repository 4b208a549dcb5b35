export interface Curve {
  /** What grows from left to right; its axis is logarithmic. */
  readonly of: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

const WIDTH = 760
const HEIGHT = 240
const PANEL = WIDTH / 2
const LEFT = 50
const RIGHT = 40
const TOP = 50
const BOTTOM = 50

/** Curves side by side on one scale from zero; readable on light and dark ground. */
export function curveChart(title: string, curves: readonly Curve[]): string {
  const most = Math.max(...curves.flatMap(({ points }) => points.map(({ y }) => y))) * 1.15
  const panels = curves.map(
    (curve, i) => `<g transform="translate(${i * PANEL} 0)">${panel(curve, most)}</g>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" fill="#6e7681" role="img">
<title>${title}</title>
<text x="${LEFT}" y="22" font-weight="600" font-size="14">${title}</text>
${panels.join('\n')}
</svg>
`
}

function panel({ of, points }: Curve, most: number): string {
  const logs = points.map(({ x }) => Math.log10(x))
  const [least, span] = [Math.min(...logs), Math.max(...logs) - Math.min(...logs) || 1]
  const places = points.map(({ x, y }) => ({
    x: LEFT + ((Math.log10(x) - least) / span) * (PANEL - LEFT - RIGHT),
    y: HEIGHT - BOTTOM - (y / most) * (HEIGHT - TOP - BOTTOM),
    label: x.toLocaleString('en'),
    value: y.toFixed(0),
  }))
  const ground = HEIGHT - BOTTOM
  return [
    `<line x1="${LEFT}" y1="${ground}" x2="${PANEL - RIGHT}" y2="${ground}" stroke="#8b949e"/>`,
    `<polyline points="${places.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')}" fill="none" stroke="#2f81f7" stroke-width="2"/>`,
    ...places.map(({ x, y, label, value }) =>
      [
        `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="4" fill="#2f81f7"/>`,
        `<text x="${x.toFixed(1)}" y="${(y - 10).toFixed(1)}" text-anchor="middle">${value}</text>`,
        `<text x="${x.toFixed(1)}" y="${ground + 18}" text-anchor="middle">${label}</text>`,
      ].join('\n'),
    ),
    `<text x="${(PANEL + LEFT - RIGHT) / 2}" y="${ground + 38}" text-anchor="middle">${of}</text>`,
  ].join('\n')
}
