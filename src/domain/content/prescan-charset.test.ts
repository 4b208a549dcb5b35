import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prescanMetaCharset, prescanXmlCharset } from './prescan-charset.ts'

const meta = (html: string) => prescanMetaCharset(Buffer.from(html, 'latin1'))
const xml = (text: string) => prescanXmlCharset(Buffer.from(text, 'latin1'))

describe('prescanMetaCharset', () => {
  it.each([
    ['<meta charset=utf-8>', 'utf-8'],
    ['<META CHARSET="Shift_JIS" >', 'shift_jis'],
    ["<meta\ncharset = 'EUC-KR'/>", 'euc-kr'],
    ['<meta http-equiv=content-type content="text/html; charset=big5">', 'big5'],
    ['<meta content="text/html; charset=koi8-r" http-equiv="Content-Type">', 'koi8-r'],
    ['<meta http-equiv=content-type content=\'text/html; charset="gbk"\'>', 'gbk'],
    ['<meta charset=nonsense><meta charset=gbk>', 'gbk'],
    ['<meta charset=utf-16>', 'utf-8'],
    ['<meta charset=utf-16be>', 'utf-8'],
    ['<meta charset=x-user-defined>', 'windows-1252'],
    ['<meta charset=latin1>', 'windows-1252'],
    ['<!-- <meta charset=gbk> --><meta charset=big5>', 'big5'],
    ['<!--><meta charset=big5>-->', 'big5'],
    ['<p title="<meta charset=gbk>"><meta charset=big5>', 'big5'],
    ['</p title="<meta charset=gbk>"><meta charset=big5>', 'big5'],
    ['<!DOCTYPE html><?php ?><meta charset=big5>', 'big5'],
    ['<meta charset=gbk charset=big5>', 'gbk'],
    ['< meta charset=gbk><meta charset=big5>', 'big5'],
  ])('finds the charset of %s', (html, expected) => {
    expect(meta(html)).toBe(expected)
  })

  it.each([
    '',
    '<meta content="text/html; charset=gbk">',
    '<meta http-equiv=refresh content="text/html; charset=gbk">',
    '<meta charset=gbk',
    '<meta charset="gbk>',
    '<!-- <meta charset=gbk>',
    '<metal charset=gbk>',
    '<meta charset=utf-7>',
    '<meta =charset=gbk>',
  ])('finds none in %j', (html) => {
    expect(meta(html)).toBeUndefined()
  })

  describe('after the first 1,024 bytes', () => {
    const late = (html: string) => meta(`<head>${' '.repeat(1_024)}${html}`)
    const DECLARATION = '<meta charset=gbk>'

    it('finds a declaration in the head', () => {
      expect(late(DECLARATION)).toBe('gbk')
      expect(
        late(`<script>if (a<b && c == "</p>") document.write('<meta charset=big5>')</script>${DECLARATION}`),
      ).toBe('gbk')
      expect(late(`<STYLE>a::before { content: "<meta charset=big5>" }</STYLE >${DECLARATION}`)).toBe('gbk')
      expect(late(`<title>About "<meta charset=big5>"</title>${DECLARATION}`)).toBe('gbk')
      expect(late(`<header-x></header-x>${DECLARATION}`)).toBe('gbk')
    })

    it('finds a declaration that begins within them', () => {
      expect(meta(`${' '.repeat(1_010)}${DECLARATION}`)).toBe('gbk')
    })

    it('finds none after the head', () => {
      expect(late(`</head>${DECLARATION}`)).toBeUndefined()
      expect(late(`<BODY class=x>${DECLARATION}`)).toBeUndefined()
      expect(late(`<script>${DECLARATION}`)).toBeUndefined()
    })

    it('stops after 8 KB', () => {
      const padding = ' '.repeat(8_192 - DECLARATION.length - 1)
      expect(meta(`${padding}${DECLARATION}<p>`)).toBe('gbk')
      expect(meta(`${padding}  ${DECLARATION}<p>`)).toBeUndefined()
    })
  })

  it('finds a declaration in the body within the first 1,024 bytes, as the standard does', () => {
    expect(meta('</head><body><meta charset=gbk>')).toBe('gbk')
  })

  it('never throws and always ends', () => {
    const unit = fc.constantFrom(
      '<',
      '>',
      '!',
      '--',
      '/',
      'meta',
      ' ',
      'charset',
      '=',
      '"',
      "'",
      'gbk',
      'a',
      'http-equiv',
    )
    fc.assert(fc.property(fc.string({ unit, maxLength: 60 }), (html) => void meta(html)))
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void prescanMetaCharset(bytes)))
  })
})

describe('prescanXmlCharset', () => {
  it.each([
    ['<?xml version="1.0" encoding="ISO-8859-1"?>', 'windows-1252'],
    ["<?xml version='1.0' encoding = 'gb2312' standalone='yes'?>", 'gbk'],
    ['<?xml version="1.0" encoding="utf-16"?>', 'utf-8'],
  ])('finds the charset of %s', (text, expected) => {
    expect(xml(text)).toBe(expected)
  })

  it.each([
    '<?xml version="1.0"?>',
    ' <?xml encoding="gbk"?>',
    '<?xml encoding="gbk"',
    '<rss encoding="gbk">',
  ])('finds none in %j', (text) => {
    expect(xml(text)).toBeUndefined()
  })
})
