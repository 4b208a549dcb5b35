/** The end of an axis that starts at 0, and its marks: round numbers. */
export interface AxisScale {
  readonly end: number
  readonly marks: readonly number[]
}

/** An axis that includes `most`, with at most four intervals. */
export function axisScale(most: number): AxisScale {
  if (!(most > 0)) return { end: 1, marks: [0, 1] }
  const rough = most / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * (STEPS.find((factor) => factor * power >= rough * 0.999_999) ?? 10)
  const intervals = Math.max(1, Math.ceil(most / step - 1e-6))
  const marks = Array.from({ length: intervals + 1 }, (_, i) => Number((i * step).toPrecision(12)))
  return { end: marks.at(-1) ?? most, marks }
}

const STEPS = [1, 2, 2.5, 5, 10]
