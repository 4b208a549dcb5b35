/** Figures as a file to commit: more than a tenth is noise. */
export function figuresJson(figures: object): string {
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 10) / 10 : value
  return `${JSON.stringify(figures, rounded, 2)}\n`
}
