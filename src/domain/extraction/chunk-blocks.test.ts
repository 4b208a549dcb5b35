import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunkBlocks } from './chunk-blocks.ts'

const chunksOf = (blocks: readonly string[], size = 100, overlap = 0) => {
  const text = blocks.join('\n\n')
  return chunkBlocks(blocks, { size, overlap }).map((chunk) => ({
    ...chunk,
    text: text.slice(chunk.start, chunk.end),
  }))
}
const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ')

describe('chunkBlocks', () => {
  it('starts a chunk at each heading, with the headings above it', () => {
    const blocks = ['# A', words(6), '## B `c` [d](https://x.test/)', words(6), '# E', words(6)]
    expect(chunksOf(blocks).map(({ breadcrumbs }) => breadcrumbs)).toEqual([['A'], ['A', 'B c d'], ['E']])
  })

  it('keeps short sections together', () => {
    expect(chunksOf(['# A', 'x', '## B', 'y', '### C', 'z'])).toHaveLength(1)
    expect(chunksOf(['# A', 'x', '# B', 'y'])).toHaveLength(2)
  })

  it('cuts between blocks, not inside a code block', () => {
    const code = `\`\`\`\n${'code line\n'.repeat(6)}\`\`\``
    expect(chunksOf([words(8), code, words(8)]).map(({ text }) => text)).toEqual([words(8), code, words(8)])
  })

  it('cuts a block that is longer than a chunk at lines, sentences or words', () => {
    expect(chunksOf([`${words(10)}. ${words(10)}. ${words(3)}`])[0]?.text).toBe(`${words(10)}.`)
    const code = `\`\`\`\n${'code line\n'.repeat(30)}\`\`\``
    for (const { text } of chunksOf([code]))
      expect(text).toMatch(/^(?:code line|```)(?:.|\n)*(?:code line|```)$/)
    expect(chunksOf(['漢'.repeat(250)]).map(({ text }) => text.length)).toEqual([100, 100, 50])
  })

  it('repeats the end of the chunk before in the same section', () => {
    const [first, second] = chunksOf([words(10), words(10)], 100, 30)
    expect(second?.start).toBeLessThan(first?.end ?? 0)
    expect(second?.text.startsWith('word')).toBe(true)
  })

  it('gives no chunk for no text', () => {
    expect(chunksOf([])).toEqual([])
  })

  it('covers the whole text in order, within the size', () => {
    const block = fc.oneof(
      fc
        .string({ minLength: 1, maxLength: 400, unit: 'grapheme' })
        .map((text) => text.replace(/\s+/g, ' ').trim() || 'x'),
      fc.integer({ min: 1, max: 6 }).map((level) => `${'#'.repeat(level)} heading`),
    )
    fc.assert(
      fc.property(
        fc.array(block, { maxLength: 12 }),
        fc.integer({ min: 50, max: 300 }),
        fc.integer({ min: 0, max: 25 }),
        (blocks, size, overlap) => {
          const text = blocks.join('\n\n')
          const chunks = chunkBlocks(blocks, { size, overlap })
          expect(chunks).toEqual(chunkBlocks(blocks, { size, overlap }))
          let covered = 0
          for (const { start, end } of chunks) {
            expect(end - start).toBeLessThanOrEqual(size)
            expect(start).toBeLessThan(end)
            expect(text.slice(covered, Math.max(covered, start)).trim()).toBe('')
            expect(end).toBeGreaterThan(covered)
            covered = end
          }
          expect(covered).toBe(text.length)
        },
      ),
    )
  })
})
