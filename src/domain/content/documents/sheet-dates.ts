import type { OoxmlPackage } from './ooxml-package.ts'
import { readPackageXml } from './package-xml.ts'

/** Built-in number formats of dates and times. */
export const DATE_FORMATS: ReadonlySet<number> = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47])

/** Which styles of cells, by their number, show a number as a date. */
export function dateStyles(office: OoxmlPackage, path: string): ReadonlySet<number> {
  const formats = new Set(DATE_FORMATS)
  const styles = new Set<number>()
  let inCells = false
  let index = 0
  readPackageXml(office.archive, path, {
    open: (name, attribute) => {
      if (name === 'numFmt' && isDateFormat(attribute('formatcode') ?? ''))
        formats.add(Number(attribute('numfmtid')))
      else if (name === 'cellXfs') inCells = true
      else if (name === 'xf' && inCells) {
        if (formats.has(Number(attribute('numfmtid')))) styles.add(index)
        index++
      }
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false
    },
  })
  return styles
}

/** Whether a format has parts of a date outside of quoted text and of colours such as `[Red]`. */
export function isDateFormat(code: string): boolean {
  return /[ymdhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''))
}

const DAY_MS = 86_400_000
/** Day 0. Excel counts a 29 February 1900 that did not exist; dates before it are rare. */
const EPOCH = Date.UTC(1899, 11, 30)

/** A date as ISO 8601, without the time if it is midnight; the text itself if it is not a date. */
export function sheetDate(value: string): string {
  const serial = Number(value)
  if (!(serial >= 1 && serial < 2_958_466)) return value
  const iso = new Date(EPOCH + Math.round(serial * DAY_MS)).toISOString()
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ')
}
