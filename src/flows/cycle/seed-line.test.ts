import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSeedLine } from './seed-line.ts'

describe('parseSeedLine', () => {
  it.each(['', '   ', '# http://a.test/', '  # x', '\r'])('skips %j', (line) => {
    expect(parseSeedLine(line)).toEqual({ kind: 'blank' })
  })

  it('takes a bare URL, without the space around it', () => {
    expect(parseSeedLine(' http://a.test/ \r')).toEqual({
      kind: 'seed',
      seed: { url: 'http://a.test/', metadata: {} },
      badItems: [],
    })
  })

  it.each([
    ['nutch.score=2.5', { score: 2.5 }],
    ['score=2.5', { score: 2.5 }],
    ['nutch.fetchInterval=60', { fetchInterval: 60 }],
    ['fetchInterval=60', { fetchInterval: 60 }],
    ['nutch.fetchInterval.fixed=90', { fixedInterval: 90 }],
    ['fetchInterval.fixed=90', { fixedInterval: 90 }],
  ])('knows the reserved key in %j', (item, expected) => {
    expect(parseSeedLine(`http://a.test/\t${item}`)).toMatchObject({ seed: { ...expected, metadata: {} } })
  })

  it('keeps other items as metadata, trimmed, up to the first equals sign for the key', () => {
    const line = 'http://a.test/\t topic = open source \tq=a=b\tno item\t=x'
    expect(parseSeedLine(line)).toMatchObject({ seed: { metadata: { topic: 'open source', q: 'a=b' } } })
  })

  it('recognises a reserved key with a space before it, which Nutch does not', () => {
    expect(parseSeedLine('http://a.test/\t nutch.score=3')).toMatchObject({
      seed: { score: 3, metadata: {} },
    })
  })

  it.each([
    'nutch.score=high',
    'nutch.score=',
    'score=Infinity',
    'fetchInterval=0',
    'fetchInterval.fixed=-1',
  ])('leaves out %j but not the URL', (item) => {
    const line = parseSeedLine(`http://a.test/\t${item}`)
    expect(line).toMatchObject({ seed: { url: 'http://a.test/', metadata: {} } })
    expect(line.kind === 'seed' && line.badItems).toHaveLength(1)
    expect(line.kind === 'seed' && Object.keys(line.seed)).toEqual(['url', 'metadata'])
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (line) => void parseSeedLine(line)))
  })
})
