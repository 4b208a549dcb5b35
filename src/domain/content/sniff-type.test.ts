import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sniffType } from './sniff-type.ts'

const URL = 'http://a.test/x'
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const sniff = (body: string | Uint8Array, contentType?: string, url = URL) => {
  const { type, kind } = sniffType(typeof body === 'string' ? latin1(body) : body, contentType, url)
  return `${type} ${kind}`
}

const HTML = '<!DOCTYPE html><title>t</title>'
const PNG = '\x89PNG\r\n\x1a\n\0\0'

describe('a header that lies', () => {
  it.each([
    [HTML, 'image/png', 'text/html html'],
    [HTML, 'application/pdf', 'text/html html'],
    [HTML, 'video/mp4', 'text/html html'],
    ['%PDF-1.7\n', 'text/html', 'application/pdf pdf'],
    ['%PDF-1.7\n', 'text/plain', 'application/pdf pdf'],
    [PNG, 'text/html', 'image/png other'],
    [PNG, 'image/jpeg', 'image/png other'],
    ['\x00\x01\x02binary', 'text/plain', 'application/octet-stream other'],
    ['<?xml version="1.0"?><rss version="2.0">', 'text/html', 'application/rss+xml feed'],
    ['<urlset xmlns="x">', 'text/html', 'application/xml sitemap'],
    ['<urlset>', 'text/plain', 'application/xml sitemap'],
  ])('does not win: %j as %s is %s', (body, declared, expected) => {
    expect(sniff(body, declared)).toBe(expected)
  })

  it('is recorded next to the detected type', () => {
    expect(sniffType(latin1(PNG), 'Text/HTML;;charset==x', URL)).toEqual({
      type: 'image/png',
      kind: 'other',
      declared: 'text/html',
      headerCharset: 'x',
    })
  })
})

describe('a header that may be right', () => {
  it.each([
    [HTML, 'text/plain', 'text/plain text'],
    ['just words', 'text/html', 'text/html html'],
    ['', 'text/html', 'text/html html'],
    [
      'PK\x03\x04',
      'application/vnd.oasis.opendocument.text',
      'application/vnd.oasis.opendocument.text document',
    ],
    ['PK\x03\x04\0', 'application/pdf', 'application/zip other'],
    ['<?xml version="1.0"?><html>', 'application/xhtml+xml', 'application/xhtml+xml html'],
    ['<?xml version="1.0"?><svg>', 'image/svg+xml', 'image/svg+xml other'],
    ['{"a":1}', 'application/json; charset=utf-8', 'application/json json'],
    ['<p>', 'application/json', 'application/json json'],
    ['<p>{{x}}</p>', 'text/css', 'text/css other'],
    ['x', 'text/javascript', 'text/javascript other'],
    ['x', 'text/markdown', 'text/markdown text'],
    ['<!doctype html>', 'application/xml', 'application/xml other'],
  ])('is believed: %j as %s is %s', (body, declared, expected) => {
    expect(sniff(body, declared)).toBe(expected)
  })
})

describe('no header, or one that says nothing', () => {
  it.each([
    [HTML, 'text/html html'],
    ['\xef\xbb\xbf \n<html>', 'text/html html'],
    ['<!-- x --><p>', 'text/html html'],
    ['<abbr>', 'text/plain text'],
    ['<?xml version="1.0"?>\n<!-- x > y --><!DOCTYPE urlset><sm:urlset>', 'application/xml sitemap'],
    ['<sitemapindex>', 'application/xml sitemap'],
    ['<!-- made by x --><urlset>', 'application/xml sitemap'],
    ['<!doctype html><svg>', 'text/html html'],
    ['<svg>', 'image/svg+xml other'],
    ['<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">', 'application/atom+xml feed'],
    ['<?xml version="1.0"?><rdf:RDF>', 'application/rdf+xml feed'],
    ['<?xml version="1.0"?><html>', 'application/xhtml+xml html'],
    ['<?xml version="1.0"?><note>', 'application/xml other'],
    ['<?xml version="1.0"?><!-- never closed', 'application/xml other'],
    ['words', 'text/plain text'],
    ['', 'text/plain text'],
    ['\0\x01\x02', 'application/octet-stream other'],
  ])('%j is %s', (body, expected) => {
    expect(sniff(body)).toBe(expected)
    expect(sniff(body, 'application/octet-stream')).toBe(expected)
    expect(sniff(body, 'nonsense')).toBe(expected)
  })

  it('reads tags through UTF-16, with and without a byte order mark', () => {
    expect(sniff(Buffer.from(`\ufeff${HTML}`, 'utf16le'))).toBe('text/html html')
    expect(sniff(Buffer.from(HTML, 'utf16le'))).toBe('text/html html')
    expect(sniff(Buffer.from('plain words', 'utf16le').swap16())).toBe('text/plain text')
  })

  it('uses the name in the URL last', () => {
    expect(sniff('a{}', undefined, 'http://a.test/x.css?v=1')).toBe('text/css other')
    expect(sniff('words', undefined, 'http://a.test/x.HTML')).toBe('text/html html')
    expect(sniff('words', undefined, 'http://a.test/x.__proto__')).toBe('text/plain text')
    expect(sniff(PNG, undefined, 'http://a.test/x.html')).toBe('image/png other')
  })
})

it('knows compressed files and leaves them to be opened', () => {
  expect(sniff(gzipSync('<urlset>'), 'application/xml')).toBe('application/gzip gzip')
  expect(sniff(gzipSync('x'), 'application/x-gzip')).toBe('application/gzip gzip')
})

it.each([
  ['GIF89a', 'image/gif'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['RIFF\x01\x02\x03\x04WEBPVP8 ', 'image/webp'],
  ['ID3\x04', 'audio/mpeg'],
  ['\0\0\0\x18ftypisom', 'video/mp4'],
  ['\x1aE\xdf\xa3', 'video/webm'],
  ['Rar!\x1a\x07\0', 'application/x-rar-compressed'],
  ['7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
  ['\x7fELF', 'application/x-elf'],
])('knows %j as %s', (body, type) => {
  expect(sniff(`${body}\0`, 'text/html')).toBe(`${type} other`)
})

it('does not take a text for the format whose name it begins with', () => {
  expect(sniff('ID3 tags explained', 'text/plain')).toBe('text/plain text')
})

it('never throws', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 64 }),
      fc.option(fc.string(), { nil: undefined }),
      fc.string(),
      (bytes, header, url) => {
        sniffType(bytes, header, url)
      },
    ),
  )
})
