/**
 * Compares the HTML scanner with parse5 on real pages: `node scripts/compare-html.ts <directory> [max-pages]`.
 * Prints how many pages agree, and where the others differ first. Exits with 1 when any differs.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scanHtml } from '../src/domain/html/scan-html.ts'
import { readWithParse5 } from '../testing/html/parse5-oracle.ts'

const [directory = '.', maxPages = '100000'] = process.argv.slice(2)
const NO_CAPS = {
  maxLinks: Infinity,
  maxTextChars: Infinity,
  maxTitleChars: 1e6,
  maxAnchorChars: 1e6,
  maxFacts: 1e6,
}
const MAX_SHOWN = 25

const files = readdirSync(directory, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.x?html?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .sort()
const step = Math.max(1, files.length / Number(maxPages))

let pages = 0
let links = 0
let differing = 0
for (let i = 0; i < files.length; i += step) {
  const file = files[Math.floor(i)] ?? ''
  const html = readFileSync(file, 'utf8')
  const scan = scanHtml(html, NO_CAPS)
  const difference = firstDifference(scan, readWithParse5(html))
  pages++
  links += scan.links.length
  if (difference === undefined) continue
  differing++
  if (differing <= MAX_SHOWN) console.log(`${file}\n  ${difference}`)
}
console.log(`${pages} pages, ${links} links; ${differing} pages differ`)
process.exitCode = differing > 0 ? 1 : 0

function firstDifference(
  ours: ReturnType<typeof scanHtml>,
  theirs: ReturnType<typeof readWithParse5>,
): string | undefined {
  for (const key of ['title', 'base', 'lang', 'canonical'] as const) {
    if (ours[key] !== theirs[key]) return `${key}: ${show(ours[key])} instead of ${show(theirs[key])}`
  }
  for (const key of ['links', 'metas'] as const) {
    const length = Math.max(ours[key].length, theirs[key].length)
    for (let i = 0; i < length; i++) {
      const [mine, other] = [show(ours[key][i]), show(theirs[key][i])]
      if (mine !== other) return `${key}[${i}]: ${mine} instead of ${other}`
    }
  }
  if (ours.text === theirs.text) return undefined
  let at = 0
  while (ours.text[at] === theirs.text[at]) at++
  const around = (text: string) => show(text.slice(Math.max(0, at - 30), at + 30))
  const alike = ours.text.replace(/\s+/g, '') === theirs.text.replace(/\s+/g, '')
  return `text${alike ? ' (white space only)' : ''}: ${around(ours.text)} instead of ${around(theirs.text)}`
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}
