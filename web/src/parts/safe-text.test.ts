import { describe, expect, it } from 'vitest'
import { cutEnd, cutMiddle, safeText } from './safe-text.ts'

describe('safeText', () => {
  it('makes characters visible that reorder or hide text', () => {
    expect(safeText('exe.\u202egnp\u0000\u0007\u2066\ufeff')).toBe(
      'exe.\\u202egnp\\u0000\\u0007\\u2066\\ufeff',
    )
    expect(safeText('a\u{e0041}b')).toBe('a\\u{e0041}b')
  })

  it('keeps letters of all scripts, emoji, tabs and line feeds', () => {
    const text = 'Ünï 漢字 עברית ไทย 👩‍🔬\t\n<b>&amp;'
    expect(safeText(text)).toBe(text)
  })
})

describe('cutMiddle', () => {
  it('keeps the beginning and the end', () => {
    expect(cutMiddle('abcdefghijklmnop', 10)).toBe('abcdef…nop')
    expect(cutMiddle('short', 10)).toBe('short')
    expect(cutMiddle('x'.repeat(10_000), 80)).toHaveLength(80)
  })

  it('does not split a surrogate pair', () => {
    expect(cutEnd('ab😀', 3)).toBe('ab')
    expect(cutMiddle('😀'.repeat(20), 10)).toBe('😀😀😀…😀')
  })
})
