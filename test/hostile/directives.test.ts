import { describe, expect, it } from 'vitest'
import { mergeDirectives } from '../../src/domain/content/directives.ts'
import type { HeaderList } from '../../src/domain/fetch/headers.ts'
import { scanHtml } from '../../src/domain/html/scan-html.ts'

describe('62: the most restrictive directive of a page applies', () => {
  it.each([
    [
      'several metas add up',
      '<meta name=robots content=noindex><meta name=robots content=nofollow>',
      ['noindex', 'nofollow'],
    ],
    ['a meta in the body counts', '<body><p>text<meta name=robots content=noindex>', ['noindex']],
    ['upper case', '<META NAME="ROBOTS" CONTENT="NOINDEX, NoFollow">', ['noindex', 'nofollow']],
    ['none means both', '<meta name=robots content=none>', ['noindex', 'nofollow']],
    ['our own name', '<meta name=orbweaver content=noindex>', ['noindex']],
    ['not the name of another', '<meta name=otherbot content=noindex>', []],
    [
      'an allowance takes nothing back',
      '<meta name=robots content=noindex><meta name=orbweaver content="index, all">',
      ['noindex'],
    ],
    ['words that mean nothing', '<meta name=robots content="noindexing, ,;;no index">', []],
  ])('%s', (_, html, expected) => {
    expect(forbidden(html)).toEqual(expected)
  })

  it('merges headers, with and without an agent name', () => {
    const headers: HeaderList = [
      ['x-robots-tag', 'nofollow'],
      ['x-robots-tag', 'otherbot: noarchive'],
      ['x-robots-tag', 'Orbweaver: noindex'],
    ]
    expect(forbidden('', headers)).toEqual(['noindex', 'nofollow'])
  })

  it('merges header and meta', () => {
    expect(forbidden('<meta name=robots content=nofollow>', [['x-robots-tag', 'noindex']])).toEqual([
      'noindex',
      'nofollow',
    ])
  })

  it('ignores an invalid date, but not the directives after it', () => {
    const { unavailableAfter, noindex } = directives(
      '<meta name=robots content="unavailable_after: the day after, noindex">',
    )
    expect({ unavailableAfter, noindex }).toEqual({ unavailableAfter: undefined, noindex: true })
  })

  it('uses the earlier of two dates', () => {
    const headers: HeaderList = [
      ['x-robots-tag', 'unavailable_after: Fri, 01 Jan 2027 00:00:00 GMT'],
      ['x-robots-tag', 'unavailable_after: 2026-12-24T00:00:00Z'],
    ]
    expect(directives('', headers).unavailableAfter).toBe(Date.UTC(2026, 11, 24))
  })
})

describe('63: a canonical is a hint', () => {
  it.each([
    ['another host', '<link rel=canonical href="https://other.test/">', 'https://other.test/'],
    ['itself', '<link rel=canonical href="">', ''],
    ['the first of two', '<link rel=canonical href=/1><link rel=canonical href=/2>', '/1'],
    ['no URL at all', '<link rel=canonical href="http://[broken">', 'http://[broken'],
  ])('to %s: reported as written, and forbids nothing', (_, html, canonical) => {
    expect(scanHtml(html).canonical).toBe(canonical)
    expect(forbidden(html)).toEqual([])
  })
})

function directives(html: string, headers: HeaderList = []) {
  return mergeDirectives({ headers, metas: scanHtml(html).metas, agent: 'Orbweaver' })
}

function forbidden(html: string, headers?: HeaderList): string[] {
  const { noindex, nofollow, noarchive } = directives(html, headers)
  return Object.entries({ noindex, nofollow, noarchive }).flatMap(([name, set]) => (set ? [name] : []))
}
