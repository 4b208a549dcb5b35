import { describe, expect, it } from 'vitest'
import { canonicalUrl } from './canonical-url.ts'
import { safeUrl } from './safe-url.ts'
import vectors from './vectors.json' with { type: 'json' }

describe.each(vectors.urls)('$input', (row) => {
  it('is made safe as w3lib does', () => expect(safeUrl(row.input)).toBe(row.safe))

  it('becomes canonical as with w3lib 2.4.1', () => expect(canonicalUrl(row.input)).toBe(row.canonical))

  it('becomes canonical as with w3lib after 2.4.1', () => {
    expect(canonicalUrl(row.input, { w3lib: 'head' })).toBe(row.canonical_w3lib_head_2026_08 ?? row.canonical)
  })
})
