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

it('does not read large documents', () => {
  expect(isTaken(`<div id="root"></div><script></script>${' '.repeat(600 * 1024)}`)).toBe(false)
})

it.each([
  ['a tag without an end', '<div '.padEnd(500_000, ' id=root')],
  ['a name without an end', '<'.padEnd(500_000, 'a-')],
])('reads %s in linear time', (_, html) => {
  expect(looksLikeApp(Buffer.from(`<script>x</script><noscript>JavaScript</noscript>${html}`))).toBe(false)
})
