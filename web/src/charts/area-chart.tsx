import { axisScale } from './axis-scale.ts'

/** A value over an interval of time (ms since the epoch). */
export interface ChartPoint {
  readonly from: number
  readonly to: number
  readonly value: number
}

interface AreaChartProps {
  readonly points: readonly ChartPoint[]
  readonly from: number
  readonly to: number
  /** Colour class. */
  readonly tint: string
  readonly format: (value: number) => string
  /** The point that is read out. */
  readonly marked?: ChartPoint | undefined
}

const WIDTH = 1_000
const HEIGHT = 100

/** One figure over time. The SVG is stretched; labels are outside of it. Screen readers get the text of the panel instead. */
export function AreaChart({ points, from, to, tint, format, marked }: AreaChartProps) {
  const { end, marks } = axisScale(Math.max(0, ...points.map(({ value }) => value)))
  const x = (at: number) => Number((((at - from) / Math.max(1, to - from)) * WIDTH).toFixed(1))
  const y = (value: number) => Number((HEIGHT - (value / end) * HEIGHT).toFixed(2))
  const place = marked === undefined ? 0 : ((marked.from + marked.to) / 2 - from) / Math.max(1, to - from)
  return (
    <div class={`area-chart ${tint}`} aria-hidden="true">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {marks.map((mark) => (
          <line key={mark} class="grid" x1="0" x2={WIDTH} y1={y(mark)} y2={y(mark)} />
        ))}
        {runsOf(points).map((run) => {
          const line = run.map((point) => `${x((point.from + point.to) / 2)},${y(point.value)}`)
          const left = x(((run[0]?.from ?? 0) + (run[0]?.to ?? 0)) / 2)
          const right = x(((run.at(-1)?.from ?? 0) + (run.at(-1)?.to ?? 0)) / 2)
          return (
            <g key={run[0]?.from}>
              <path class="area" d={`M${left},${HEIGHT}L${line.join('L')}L${right},${HEIGHT}Z`} />
              <path class="line" d={`M${line.join('L')}`} />
            </g>
          )
        })}
      </svg>
      {marks.map((mark) => (
        <span key={mark} class="axis-mark" style={{ bottom: `${(100 * mark) / end}%` }}>
          {format(mark)}
        </span>
      ))}
      {marked !== undefined && (
        <span class="cursor" style={{ left: `${100 * place}%` }}>
          <span class="cursor-dot" style={{ bottom: `${(100 * marked.value) / end}%` }} />
        </span>
      )}
    </div>
  )
}

/** Points without a gap between them: there is no line over a time without figures. */
function runsOf(points: readonly ChartPoint[]): ChartPoint[][] {
  const runs: ChartPoint[][] = []
  for (const point of points) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (run !== undefined && last !== undefined && point.from - last.to <= (last.to - last.from) * GAP)
      run.push(point)
    else runs.push([point])
  }
  return runs
}

/** Missing intervals that a line crosses: a report may come late. */
const GAP = 3
