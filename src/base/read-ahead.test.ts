import { expect, it } from 'vitest'
import { readAhead } from './read-ahead.ts'

it('requests the next value before the reader is done with this one', async () => {
  const log: string[] = []
  async function* source() {
    for (const value of [1, 2, 3]) {
      log.push(`made ${value}`)
      yield value
    }
  }
  for await (const value of readAhead(source())) {
    await Promise.resolve()
    log.push(`read ${value}`)
  }
  expect(log).toEqual(['made 1', 'made 2', 'read 1', 'made 3', 'read 2', 'read 3'])
})

it('throws the error of the source after the values before it', async () => {
  async function* source() {
    yield 1
    throw new Error('gone')
  }
  const values: number[] = []
  const read = async () => {
    for await (const value of readAhead(source())) values.push(value)
  }
  await expect(read()).rejects.toThrow('gone')
  expect(values).toEqual([1])
})

it.each([false, true])('ends the source when the reader stops, also if it fails then: %s', async (fails) => {
  let ended = false
  async function* source() {
    try {
      yield 1
      if (fails) throw new Error('gone')
      yield 2
      yield 3
    } finally {
      ended = true
    }
  }
  for await (const _ of readAhead(source())) break
  expect(ended).toBe(true)
})
