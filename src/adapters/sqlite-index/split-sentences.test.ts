import { expect, it } from 'vitest'
import { sentencesIn } from './split-sentences.ts'

const split = (text: string) => sentencesIn(text).map(({ start, end }) => text.slice(start, end))

it.each([
  ['One. Two! Three? Four', ['One.', 'Two!', 'Three?', 'Four']],
  ['He said “stop.” Then he left.', ['He said “stop.”', 'Then he left.']],
  ['See e.g. Section 3, cf. Fig. 2. Next.', ['See e.g. Section 3, cf. Fig. 2.', 'Next.']],
  ['Version 3.1 of node.js is out. Use it.', ['Version 3.1 of node.js is out.', 'Use it.']],
  ['J. Smith wrote it. All of it.', ['J. Smith wrote it.', 'All of it.']],
  ['The end of abc. with small letters.', ['The end of abc. with small letters.']],
  ['Heading\n\n  Item one\nCell a\tCell b ', ['Heading', 'Item one', 'Cell a', 'Cell b']],
  ['北京大学。图书馆很大！是吗？', ['北京大学。', '图书馆很大！', '是吗？']],
  ['', []],
])('splits %j', (text, sentences) => {
  expect(split(text)).toEqual(sentences)
})

it('reads only a part of a text', () => {
  const text = 'One. Two. Three.'
  expect(sentencesIn(text, 5, 9).map(({ start, end }) => text.slice(start, end))).toEqual(['Two.'])
})
