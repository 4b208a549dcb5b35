import type { DemoPage, DemoSite, Target } from './demo-site.ts'

/**
 * Renders a page as HTML. In `body`, a blank line ends a paragraph; `## ` starts a heading, `- ` a list item, `| ` a table row;
 * `!seed` alone on a line is a picture; `[label](target)` is a link, and `[label](~target)` one with rel="nofollow".
 *
 * @param addressOf returns the URL of a target
 */
export function renderPage(page: DemoPage, site: DemoSite, addressOf: (target: Target) => string): string {
  const { title, description, language = site.language, charset = 'utf-8' } = page
  const link = (rel: string, target: Target, attributes = '') =>
    `<link rel="${rel}"${attributes} href="${escapeHtml(addressOf(target))}">\n`
  const alternates = Object.entries(page.alternates ?? {})
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="${charset}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} &ndash; ${escapeHtml(site.title)}</title>
<meta name="description" content="${escapeHtml(description)}">
${page.robots === undefined ? '' : `<meta name="robots" content="${page.robots}">\n`}${
  page.canonical === undefined ? '' : link('canonical', page.canonical)
}${alternates.map(([code, target]) => link('alternate', target, ` hreflang="${code}"`)).join('')}${
  site.feed === true ? link('alternate', '/feed.xml', ' type="application/rss+xml" title="News"') : ''
}<style>${styleSheet(site.hue)}</style>
</head>
<body>
<header><strong>${escapeHtml(site.title)}</strong>
<nav>${site.menu.map(([label, target]) => anchor(label, target, addressOf)).join(' · ')}</nav></header>
<main>
<h1>${escapeHtml(title)}</h1>
${renderBody(page.body, addressOf)}
</main>
</body>
</html>
`
}

/** The targets of the links of a page, without `nofollow` links. */
export function linksOf(page: DemoPage, site: DemoSite): Target[] {
  const inBody = Array.from(page.body.matchAll(LINK), ([, , target = '']) => target)
  const menu = site.menu.map(([, target]) => target)
  return [...menu, ...inBody].filter((target) => !target.startsWith('~'))
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g

function renderBody(body: string, addressOf: (target: Target) => string): string {
  return body
    .trim()
    .split(/\n\s*\n/)
    .map((block) => renderBlock(block.trim(), addressOf))
    .join('\n')
}

function renderBlock(block: string, addressOf: (target: Target) => string): string {
  const inline = (text: string) => renderInline(text, addressOf)
  const lines = block.split('\n').map((line) => line.trim())
  if (block.startsWith('!')) return `<figure>${drawPicture(block.slice(1))}</figure>`
  if (block.startsWith('## ')) return `<h2>${inline(block.slice(3))}</h2>`
  if (block.startsWith('- '))
    return `<ul>${lines.map((line) => `<li>${inline(line.slice(2))}</li>`).join('\n')}</ul>`
  if (block.startsWith('| '))
    return `<table>${lines.map((line) => row(line.slice(2), inline)).join('\n')}</table>`
  return `<p>${inline(lines.join(' '))}</p>`
}

function renderInline(text: string, addressOf: (target: Target) => string): string {
  let html = ''
  let done = 0
  for (const link of text.matchAll(LINK)) {
    const [whole, label = '', target = ''] = link
    html += escapeHtml(text.slice(done, link.index)) + anchor(label, target, addressOf)
    done = link.index + whole.length
  }
  return html + escapeHtml(text.slice(done))
}

function row(text: string, inline: (text: string) => string): string {
  return `<tr>${text
    .split(' | ')
    .map((cell) => `<td>${inline(cell)}</td>`)
    .join('')}</tr>`
}

function anchor(label: string, target: Target, addressOf: (target: Target) => string): string {
  const nofollow = target.startsWith('~')
  const address = escapeHtml(addressOf(nofollow ? target.slice(1) : target))
  return `<a href="${address}"${nofollow ? ' rel="nofollow"' : ''}>${escapeHtml(label)}</a>`
}

function styleSheet(hue: number): string {
  return `
body{margin:0;font:17px/1.6 Georgia,serif;color:hsl(${hue} 25% 15%);background:hsl(${hue} 40% 97%)}
header{padding:1rem 6vw;background:hsl(${hue} 45% 28%);color:#fff}
header nav{font-size:.9em}header a{color:hsl(${hue} 60% 88%)}
main{max-width:42rem;margin:0 auto;padding:1rem 6vw 4rem}
h1{line-height:1.2}a{color:hsl(${hue} 70% 32%)}
table{border-collapse:collapse}td{padding:.2rem 1rem .2rem 0;border-bottom:1px solid hsl(${hue} 30% 85%)}
figure{margin:1rem 0}svg{width:100%;height:auto;border-radius:6px}
`
}

/** A landscape as SVG: sky, sun or moon, and rows of hills. The same `seed` gives the same picture. */
function drawPicture(seed: string): string {
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

/** Pseudo-random numbers in [0, 1) from a linear congruential generator. */
function numbersFrom(seed: string): () => number {
  let state = 7
  for (const letter of seed) state = (state * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
