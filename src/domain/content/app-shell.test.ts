import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LABELLED_PAGES } from '../../../testing/javascript-sites/labelled-pages.ts'
import { appShellEvidence, looksLikeApp } from './app-shell.ts'

const isTaken = (html: string) => looksLikeApp(Buffer.from(html))
const names = (isApp: boolean, taken: boolean) =>
  LABELLED_PAGES.filter((page) => page.isApp === isApp && isTaken(page.html) === taken).map(
    ({ name }) => name,
  )

it('finds the apps among labelled pages, with the mistakes that docs/javascript-sites.md names', () => {
  expect(LABELLED_PAGES.length).toBeGreaterThanOrEqual(50)
  expect(names(true, false)).toEqual(['a shell without the usual marks'])
  expect(names(false, true)).toEqual(['a short static page with a widget'])
})

it('has the precision and recall of docs/javascript-sites.md', () => {
  const found = names(true, true).length
  const precision = found / (found + names(false, true).length)
  const recall = found / (found + names(true, false).length)
  expect([precision.toFixed(2), recall.toFixed(2)]).toEqual(['0.96', '0.96'])
})

it('gives the evidence', () => {
  const html =
    '<body><noscript>Enable JavaScript</noscript><div id="root"><p>Loading</p></div><script src="a.js"></script>'
  expect(appShellEvidence(html)).toEqual({
    ...{ textChars: 7, scripts: 1, hasEmptyRoot: true, hasNotice: true, media: 0, isApp: true },
  })
})

it('decides about any text', () => {
  const piece = fc.constantFrom(
    '<div id="root">',
    '</div>',
    '<script>',
    '</script>',
    '<noscript',
    '>',
    '<!--',
    '-->',
    'x',
    '"',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 5 }))), (parts) => {
      expect(typeof isTaken(parts.join(''))).toBe('boolean')
    }),
  )
})

it('decides about a long page as its evidence says, wherever its text is', () => {
  const piece = fc.constantFrom(
    ...[
      '<div id="root">',
      '</div>',
      '<div ',
      '>',
      '<script>',
      '</script>',
      '<script src=a></script>',
      '<noscript>JavaScript',
    ],
    ...[
      '</noscript>',
      '<!--',
      '-->',
      '<style>',
      '</style>',
      '<head>',
      '</head>',
      '<p a="',
      '">',
      '&amp;',
      '<',
    ],
  )
  const words = fc.integer({ min: 1, max: 300 }).map((count) => 'text '.repeat(count))
  const parts = fc.array(fc.oneof(piece, words), { maxLength: 40 })
  fc.assert(
    fc.property(parts, fc.nat(9_000), parts, (before, spaces, after) => {
      const html = [...before, ' '.repeat(spaces), ...after, '<noscript>'.padEnd(9_000)].join('')
      expect(isTaken(html)).toBe(appShellEvidence(html).isApp)
    }),
    { numRuns: 1_000 },
  )
})

it.each([
  [600, true],
  [1_000, false],
])('takes a long page that starts with %i characters of text for an app: %s', (chars, isApp) => {
  const start = `<noscript>Enable JavaScript</noscript><p>${'x'.repeat(chars)}</p><div id="root"></div>`
  expect(isTaken(`${start}<script>${' '.repeat(9_000)}</script><p>`)).toBe(isApp)
})

it('does not take a tag that a script interrupts for text', () => {
  const tag = `<a ${'x'.repeat(1_000)}<script>${' '.repeat(9_000)}</script>>`
  expect(isTaken(`<noscript>Enable JavaScript</noscript><div id="root"></div>${tag}`)).toBe(true)
})

it('does not read large documents', () => {
  expect(isTaken(`<div id="root"></div><script></script>${' '.repeat(600 * 1024)}`)).toBe(false)
})

it.each([
  ['a tag without an end', '<div '.padEnd(500_000, ' id=root')],
  ['a name without an end', '<'.padEnd(500_000, 'a-')],
])('reads %s in linear time', (_, html) => {
  expect(looksLikeApp(Buffer.from(`<script>x</script><noscript>JavaScript</noscript>${html}`))).toBe(false)
})
