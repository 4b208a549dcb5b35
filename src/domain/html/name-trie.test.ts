import { describe, expect, it } from 'vitest'
import { NameTrie, START } from './name-trie.ts'

const trie = new NameTrie(
  new Map([
    ['a', 1],
    ['area', 2],
    ['h1', 3],
    ['xml:lang', 4],
  ]),
)

const find = (name: string) => {
  let state = START
  for (let i = 0; i < name.length; i++) state = trie.step(state, name.charCodeAt(i))
  return trie.valueAt(state)
}

describe('NameTrie', () => {
  it.each([
    ['a', 1],
    ['AREA', 2],
    ['h1', 3],
    ['XML:lang', 4],
    ['', 0],
    ['ar', 0],
    ['areas', 0],
    ['b', 0],
    ['h\u0011', 0],
    ['\u0101', 0],
    ['axa', 0],
  ])('finds %j as %i', (name, value) => {
    expect(find(name)).toBe(value)
  })

  it('refuses names that it could not find', () => {
    expect(() => new NameTrie(new Map([['é', 1]]))).toThrow(RangeError)
  })
})
