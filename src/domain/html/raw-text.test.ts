import { describe, expect, it } from 'vitest'
import { commentEnd, rawTextEnd, scriptEnd } from './raw-text.ts'
import { tagNamed } from './tags.ts'

describe('rawTextEnd', () => {
  it.each([
    ['a</style>', 1],
    ['</b></STYLE\n>', 4],
    ['</styles></style/>', 9],
    ['</style', 7],
    ['<style>', 7],
    ['', 0],
  ])('finds in %j the end tag at %i', (html, at) => {
    expect(rawTextEnd(html, 0, tagNamed('style'))).toBe(at)
  })
})

describe('scriptEnd', () => {
  it.each([
    ['a<b</script>', 3],
    ['<!--</script>', 4],
    ['<!--<script></script>--></script>', 24],
    ['<!--<script></script></script>', 21],
    ['<!--<scripts></script>', 13],
    ['<!--><script></script>', 13],
    ['<!---><script></script>', 14],
    ['<!--<script>-->x</script>', 16],
    ['<!-<script></script>', 11],
    ['<!--<script></script>', 21],
    ['<script></script>', 8],
  ])('finds in %j the end tag at %i', (html, at) => {
    expect(scriptEnd(html, 0)).toBe(at)
  })
})

describe('commentEnd', () => {
  it.each([
    ['>x', 1],
    ['->x', 2],
    ['-->x', 3],
    [' a -->x', 6],
    [' a --!>x', 7],
    [' ----->x', 7],
    ['-!>-->', 6],
    [' --!-->x', 7],
    [' -- > ', 6],
    ['-', 1],
  ])('ends %j at %i', (html, at) => {
    expect(commentEnd(html, 0)).toBe(at)
  })
})
