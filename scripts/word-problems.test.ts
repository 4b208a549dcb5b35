import { describe, expect, it } from 'vitest'
import { wordProblems } from './word-problems.ts'

describe('wordProblems', () => {
  it.each([
    ['the host is asked again', 'asked'],
    ['const askRobots = 1', 'askR'],
    ['new RobotsAsked()', 'Asked'],
    ['the answer of the server', 'answer'],
    ['readVisits(rows)', 'Visits'],
    ['every host rests between two requests', 'rests'],
    ['hostPace', 'Pace'],
    ['run it again to go on', 'go on'],
    ['nobody reads it', 'nobody'],
    ['this is no file', 'is no f'],
    ['120 pages a second', 'pages a second'],
  ])('finds the avoided word in: %s', (text, word) => {
    expect(wordProblems(`first line\n${text}`)).toEqual([{ line: 2, word, instead: expect.any(String) }])
  })

  it.each([
    'the rest of the list, and ...rest',
    'a task of the worker',
    'there is no file, and it is no longer needed',
    'the folder',
    'function visit(node) {}',
    'the REST interface',
  ])('leaves alone: %s', (text) => {
    expect(wordProblems(text)).toEqual([])
  })
})
