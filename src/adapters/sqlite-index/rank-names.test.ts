import { expect, it } from 'vitest'
import { rankNames } from './rank-names.ts'

const unit = (word: string, weight = 1) => ({ words: [word], prefix: false, weight, forms: [], synonyms: [] })
const QUERY = [unit('create'), unit('table')]
const page = { name: '', title: '', headings: [], anchors: [], url: 'http://a.test/' }
const title = (name: string) => rankNames({ ...page, name }, QUERY).title

it('ranks an exact title first, then a phrase, then words in another order, then some words', () => {
  const scores = [
    'CREATE TABLE',
    'The CREATE TABLE command',
    'Table to create',
    'Create index',
    'Vacuum',
  ].map(title)
  expect(scores[0]).toBe(1)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  expect(new Set(scores).size).toBe(5)
})

it('knows a whole title by the name of the site in it', () => {
  const whole = (text: string) => rankNames({ ...page, name: 'Create', title: text }, QUERY).title
  expect(whole('Create — Table')).toBe(1)
  expect(whole('Create — Table manual')).toBe(title('Create'))
})

it('compares the joined words of a URL', () => {
  const url = (address: string) => rankNames({ ...page, url: address }, QUERY).url
  expect(url('http://a.test/sql-createtable.html')).toBe(0.8)
  expect(url('http://a.test/create_table/index.html')).toBe(1)
  expect(url('http://a.test/%E0%A4%A')).toBe(0)
})

it('counts words of the sections that a page is in, less than its own name', () => {
  const url = (address: string) => rankNames({ ...page, url: address }, QUERY).url
  const scores = ['table', 'table/index.html', 'table/rows', 'other/rows'].map((path) =>
    url(`http://a.test/${path}`),
  )
  expect(scores[0]).toBe(scores[1])
  expect(scores[1]).toBeGreaterThan(scores[2] ?? 0)
  expect(scores[2]).toBeGreaterThan(0)
  expect(scores[3]).toBe(0)
})

it('takes the best anchor text, and frequent ones before rare ones', () => {
  const anchors = (texts: readonly string[]) => rankNames({ ...page, anchors: texts }, QUERY).anchors
  expect(anchors(['create table', 'x'])).toBe(1)
  expect(anchors(['x', 'y', 'create table'])).toBeLessThan(1)
  expect(anchors(['x', 'y', 'create table'])).toBeGreaterThan(0.9)
})

it('counts other forms a little less', () => {
  const forms = [{ ...unit('index'), forms: ['indexes'] }]
  const of = (name: string) => rankNames({ ...page, name }, forms).title
  expect(of('Indexes')).toBeGreaterThan(0.5)
  expect(of('Indexes')).toBeLessThan(of('Index'))
})

it('finds a term among hundreds of headings', () => {
  const headings = ['Reference', ...Array.from({ length: 400 }, (_, i) => `option_${i}`), 'create table']
  expect(rankNames({ ...page, headings }, QUERY).headings).toBe(1)
})
