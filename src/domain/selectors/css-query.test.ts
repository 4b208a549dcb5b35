import { afterEach, describe, expect, it, vi } from 'vitest'
import { parseDocument } from './document.ts'
import { ElementNode } from './nodes.ts'

const flat = (count: number) => '<i class=y></i>'.repeat(count)
const deep = (count: number) =>
  `${'<div class=a>'.repeat(100)}<i class=y></i>${'</div>'.repeat(100)}`.repeat(count / 100)
/** Comments stand between elements and their neighbours. */
const sparse = (count: number) => `${'<!---->'.repeat(count)}<b></b><i class=y></i>`.repeat(2)

describe('the elements that a selector tests', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it.each([
    ...[
      '.x ~ .y',
      '.x + .y + .y',
      '.x ~ .y ~ .y',
      '.y:has(~ .x)',
      '.y:has(+ .x)',
      '.a:has(> .x)',
      '.a:has(.a .x)',
    ],
    ...['.a .a .a .a .x', '.x .a .a .a .y', '.x > .a > .a .y', '.y:not(.x ~ .y)', '.y:is(.x .a .y, .x + .y)'],
    ...['.y:nth-last-child(3)', '.y:last-of-type', '.y:only-child', '.y:only-of-type'],
    ...[
      '.y:contains(z)',
      '.a:icontains(z) .y',
      '.y:lang(en)',
      '.y:empty',
      '.y:last-child',
      ':disabled',
      ':checked',
    ],
  ])('grow with the page: %s', (selector) => {
    for (const page of [flat, deep, sparse]) {
      const small = testsOf(page(1_000), selector)
      const large = testsOf(page(4_000), selector)
      expect(large).toBeLessThan(small * 4 + 100)
    }
  })

  it('are so many at most, and then the selector is refused', () => {
    const all = parseDocument(flat(10_000), { kind: 'html' }).css('i')
    expect(all.css('+ i').length).toBe(9_999)
    expect(all.css('~ i').length).toBe(9_999)
    expect(() => all.css('~ b:not(b b)')).toThrow(
      expect.objectContaining({
        code: 'SELECTOR_TOO_COSTLY',
        message: expect.stringContaining("CSS selector '~ b:not(b b)' takes more than 20000000 steps"),
      }),
    )
  })
})

function testsOf(html: string, selector: string): number {
  const page = parseDocument(html, { kind: 'html' })
  const attribute = vi.spyOn(ElementNode.prototype, 'attribute')
  page.css(selector)
  const { length } = attribute.mock.calls
  attribute.mockRestore()
  return length
}
