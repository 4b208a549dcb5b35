import { describe, expect, it } from 'vitest'
import { scrapyFingerprint } from './fingerprints.ts'
import vectors from './vectors.json' with { type: 'json' }

describe('scrapyFingerprint', () => {
  it.each(vectors.urls)('is what each family has for $input', (row) => {
    const request = { url: row.input }
    expect(scrapyFingerprint(request)).toBe(row.fp_scrapy_redis)
    expect(scrapyFingerprint(request, { family: 'scrapy' })).toBe(row.fp_scrapy_2_7)
    expect(scrapyFingerprint(request, { family: 'legacy' })).toBe(row.fp_legacy)
  })

  it('counts method and body', () => {
    const { url, body_utf8: body, ...known } = vectors.post
    const request = { url, method: 'POST', body }
    expect(scrapyFingerprint(request)).toBe(known.fp_scrapy_redis)
    expect(scrapyFingerprint(request, { family: 'scrapy' })).toBe(known.fp_scrapy_2_7)
    expect(scrapyFingerprint(request, { family: 'legacy' })).toBe(known.fp_legacy)
  })

  it('counts the bytes of a body that is stored as base64', () => {
    const { url, body_utf8: body, ...known } = vectors.post
    const base64 = Buffer.from(body).toString('base64')
    expect(scrapyFingerprint({ url, method: 'post', body: base64, base64: true })).toBe(known.fp_scrapy_redis)
  })

  it('is that of Scrapy’s own tests', () => {
    expect(scrapyFingerprint({ url: 'http://example.org' }, { family: 'scrapy' })).toBe(
      '7873d70c33756a15fed7649ba909e064bf9c5844',
    )
  })

  it('follows the version of w3lib', () => {
    const request = { url: 'http://www.example.com/do?a=1;b=2' }
    expect(scrapyFingerprint(request, { w3lib: 'head' })).not.toBe(scrapyFingerprint(request))
  })

  it('has none for a URL that is none', () => expect(scrapyFingerprint({ url: 'nowhere' })).toBeUndefined())
})
