import type { CrawlFigures } from './measure-rounds.ts'

const BAR_HEIGHT = 26
const LEFT = 245
const WIDTH = 760

/** Pages per CPU-second, as bars; readable on light and dark ground. */
export function crawlChart(figures: readonly CrawlFigures[]): string {
  const most = Math.max(...figures.map(({ pagesPerCpuSecond }) => pagesPerCpuSecond))
  const bars = figures.map(({ name, version, pagesPerCpuSecond }, i) => {
    const y = 40 + i * (BAR_HEIGHT + 10)
    const width = Math.max(1, (pagesPerCpuSecond / most) * (WIDTH - LEFT - 80))
    const fill = name.startsWith('orbweaver') ? '#2f81f7' : '#8b949e'
    return [
      `<text x="${LEFT - 10}" y="${y + 18}" text-anchor="end">${name} ${version}</text>`,
      `<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" rx="3" fill="${fill}"/>`,
      `<text x="${(LEFT + width + 8).toFixed(1)}" y="${y + 18}">${pagesPerCpuSecond.toFixed(0)}</text>`,
    ].join('\n')
  })
  const height = 50 + figures.length * (BAR_HEIGHT + 10)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="14" fill="#6e7681" role="img">
<title>Pages per CPU-second of a whole crawl, by crawler</title>
<text x="${LEFT}" y="22" font-weight="600">pages per CPU-second, a whole crawl</text>
${bars.join('\n')}
</svg>
`
}
