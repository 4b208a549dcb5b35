import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQuery } from '../../domain/search/parse-query.ts'
import { wantedPhrases } from '../../domain/search/search-query.ts'
import { makeSnippet, type TextPart } from './make-snippet.ts'

const phrasesOf = (query: string) => {
  const { query: parsed } = parseQuery(query)
  return parsed === undefined ? [] : wantedPhrases(parsed)
}
const line = (parts: readonly TextPart[]) =>
  parts.map(({ text, marked }) => (marked ? `[${text}]` : text)).join('')
const snippet = (text: string, query: string, length?: number) =>
  line(makeSnippet(text, phrasesOf(query), length))

const FILLER = 'Some words without any match stand here. '.repeat(20)

describe('makeSnippet', () => {
  it('marks every word in a short text, in one line', () => {
    expect(snippet('A web,\n\n  the Web.', 'web')).toBe('A [web], the [Web].')
  })

  it('shows the beginning when nothing is found', () => {
    expect(snippet('Only this.', 'web')).toBe('Only this.')
    expect(snippet('', 'web')).toBe('')
    expect(snippet('one two three four', '', 10)).toBe('one two …')
  })

  it('goes where most of the words are', () => {
    const text = `${FILLER}A spider. ${FILLER}A spider in its web. ${FILLER}`
    const shown = snippet(text, 'spider web')
    expect(shown).toMatch(/^… .*A \[spider\] in its \[web\]\..* …$/)
    expect(shown.length).toBeLessThan(260)
  })

  it('goes to a match far into a long text', () => {
    const text = `${FILLER.repeat(60)}A Funnel web. ${FILLER.repeat(60)}`
    for (const long of [text, FILLER.repeat(30) + text])
      expect(snippet(long, 'funnel web')).toMatch(/^… .*A \[Funnel\] \[web\]\..* …$/)
    expect(snippet(text.replace('Funnel', 'Fünnel'), 'funnel')).toMatch(/^… .*A \[Fünnel\] web\..* …$/)
  })

  it('shows whole sentences, list items and cells, the best ones, in their order', () => {
    const text = `Menu\nAbout webs\n${FILLER}A spider sits in the middle. ${FILLER}\nThe web of the spider is round.\tA cell\n${FILLER}`
    expect(snippet(text, 'spider web', 80)).toBe('… The [web] of the [spider] is round. …')
    expect(snippet(text, 'middle round', 80)).toBe(
      '… A spider sits in the [middle]. … The web of the spider is [round]. …',
    )
  })

  it('prefers sentences to headings and menus', () => {
    const text = `Spiders\nSpider web\nHome\n${FILLER}\nThe spider mends its web at night.\n${FILLER}`
    expect(snippet(text, 'spider web', 60)).toBe('… The [spider] mends its [web] at night. …')
  })

  it('begins with the first sentence of the text when nothing is found', () => {
    const text = `Home\nNext\nAn orb web is round and sticky. It hangs between twigs.\n${FILLER}`
    expect(snippet(text, 'funnel', 60)).toBe('… An orb web is round and sticky. It hangs between twigs. …')
  })

  it('takes other forms of a word for the same word', () => {
    const [first] = phrasesOf('web')
    if (first === undefined) throw new Error('no phrase')
    const groups = { web: 0, webs: 0, spider: 1 }
    const phrases = Object.entries(groups).map(([word, group]) => ({ ...first, words: [word], group }))
    const text = `Web webs: a web of webs, and other webs.\n${FILLER}\nA spider sits in its web all day.\n${FILLER}`
    expect(line(makeSnippet(text, phrases, 40))).toBe('… A [spider] sits in its [web] all day. …')
  })

  it('cuts a sentence that is too long, at word ends', () => {
    const text = `${'word '.repeat(100)}spider ${'more '.repeat(100)}`
    const shown = snippet(text, 'spider')
    expect(shown).toMatch(/^… (?:word )+\[spider\] (?:more )+…$/)
    expect(shown.length).toBeLessThan(260)
  })

  it('does not mark what is not wanted, nor words that only begin alike', () => {
    expect(snippet('spider spiders web', 'spider -web')).toBe('[spider] spiders web')
    expect(snippet('spider spiders', 'spider*')).toBe('[spider] [spiders]')
  })

  it('marks the longest of two that begin at one place', () => {
    expect(snippet('an orb web hangs', 'orb "orb web"')).toBe('an [orb web] hangs')
  })

  it('never tears a character or loses text', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', '北', '\u{1f578}', 'é', '\n', 'web '),
      maxLength: 400,
    })
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('a', 'web', '北', 'aa*'),
        fc.integer({ min: 5, max: 300 }),
        (whole, query, length) => {
          const parts = makeSnippet(whole, phrasesOf(query), length)
          const inner = parts
            .map((part) => part.text)
            .join('')
            .replace(/^… /, '')
            .replace(/ …$/, '')
          expect(inner.isWellFormed()).toBe(true)
          for (const piece of inner.split(' … ')) expect(whole.replace(/\s+/g, ' ')).toContain(piece.trim())
        },
      ),
      { numRuns: 100 },
    )
  })
})
