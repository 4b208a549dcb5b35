import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeCharset } from '../../../testing/encode-charset.ts'
import { charsetForLabel } from './charset-label.ts'
import { decodeText } from './decode-text.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const ascii = (text: string) => Buffer.from(text, 'latin1')

describe('order of evidence', () => {
  it('believes a byte order mark before a header', () => {
    expect(decodeText(bytes(0xef, 0xbb, 0xbf, 0x61), { syntax: 'html', headerCharset: 'gbk' })).toEqual({
      text: 'a',
      charset: 'utf-8',
      charsetSource: 'bom',
    })
    expect(decodeText(bytes(0xff, 0xfe, 0x61, 0), { syntax: 'text' }).text).toBe('a')
    expect(decodeText(bytes(0xfe, 0xff, 0, 0x61), { syntax: 'text' }).text).toBe('a')
    expect(decodeText(bytes(0xff, 0xfe, 0xff, 0xfe), { syntax: 'text' }).text, 'the second is text').toBe(
      '\ufeff',
    )
  })

  it('believes the header before a meta', () => {
    const page = Buffer.concat([ascii('<meta charset=utf-8>'), bytes(0xe9)])
    expect(decodeText(page, { syntax: 'html', headerCharset: 'latin1' })).toEqual({
      text: '<meta charset=utf-8>é',
      charset: 'windows-1252',
      charsetSource: 'header',
    })
  })

  it('passes over a header charset that does not exist', () => {
    const page = ascii('<meta charset=koi8-r>\xc1')
    for (const headerCharset of ['utf-7', 'none', '', '\0', '☃', 'hz-gb-2312', 'replacement']) {
      expect(decodeText(page, { syntax: 'html', headerCharset })).toEqual({
        text: '<meta charset=koi8-r>а',
        charset: 'koi8-r',
        charsetSource: 'meta',
      })
    }
  })

  it('reads the XML declaration, in HTML after the meta', () => {
    const declared = ascii('<?xml version="1.0" encoding="koi8-r"?>')
    expect(decodeText(declared, { syntax: 'xml' })).toMatchObject({ charset: 'koi8-r', charsetSource: 'xml' })
    expect(decodeText(declared, { syntax: 'html' })).toMatchObject({
      charset: 'koi8-r',
      charsetSource: 'xml',
    })
    expect(decodeText(declared, { syntax: 'text' })).toMatchObject({
      charset: 'utf-8',
      charsetSource: 'guess',
    })
    const both = ascii('<?xml version="1.0" encoding="koi8-r"?><meta charset=gbk>')
    expect(decodeText(both, { syntax: 'html' })).toMatchObject({ charset: 'gbk', charsetSource: 'meta' })
  })
})

describe('a page in a legacy charset', () => {
  it.each([
    ['Central European', 'windows-1250', 'Příliš žluťoučký kůň úpěl ďábelské ódy; zażółć gęślą jaźń'],
    ['Central European', 'iso-8859-2', 'Příliš žluťoučký kůň úpěl ďábelské ódy; zażółć gęślą jaźń'],
    ['Turkish', 'iso-8859-9', 'Yağız şoföre çabucak güvendi; ığdır, İstanbul'],
    ['Greek', 'windows-1253', 'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία'],
    ['Greek', 'iso-8859-7', 'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία'],
    ['Hebrew', 'windows-1255', 'דג סקרן שט בים מאוכזב ולפתע מצא חברה'],
    ['Hebrew', 'iso-8859-8-i', 'דג סקרן שט בים מאוכזב ולפתע מצא חברה'],
    ['Arabic', 'windows-1256', 'نص حكيم له سر قاطع وذو شأن عظيم'],
    ['Arabic', 'iso-8859-6', 'نص حكيم له سر قاطع وذو شأن عظيم'],
    ['Thai', 'tis-620', 'เป็นมนุษย์สุดประเสริฐเลิศคุณค่า'],
    ['Baltic', 'windows-1257', 'Įlinkdama fechtuotojo špaga sublykčiojusi pragręžė apvalų arbūzą'],
    ['Cyrillic', 'koi8-u', 'Чуєш їх, доцю, га? Кумедна ж ти, прощайся без ґольфів!'],
    ['Korean', 'euc-kr', '똠방각하와 펲시콜라, 햏자'],
    ['Chinese', 'big5-hkscs', '香港嘅㗎啫喺嚟咗'],
    ['Japanese', 'shift_jis', '①髙﨑の塀'],
  ])('in %s (%s) decodes wherever the charset is declared', (_, label, text) => {
    const charset = charsetForLabel(label) ?? ''
    const body = encodeCharset(text, charset)
    const decode = (before: string, headerCharset?: string) =>
      decodeText(Buffer.concat([ascii(before), body]), { syntax: 'html', headerCharset })
    expect(decode('', label)).toMatchObject({ text, charset, charsetSource: 'header' })
    const long = `<script>${'x'.repeat(3_000)}</script>`
    for (const meta of [
      `<meta charset="${label}">`,
      `<meta http-equiv="Content-Type" content="text/html; charset=${label}">`,
      `<head>${long}<meta charset=${label.toUpperCase()}></head>`,
      `<html><head><title>x</title>${long}<META content='text/html;charset=${label}' HTTP-EQUIV=content-type>`,
    ]) {
      expect(decode(meta)).toEqual({ text: meta + text, charset, charsetSource: 'meta' })
    }
    const xml = `<?xml version="1.0" encoding="${label}"?>`
    expect(decode(xml)).toEqual({ text: xml + text, charset, charsetSource: 'xml' })
  })
})

describe('broken bytes', () => {
  it.each([
    ['overlong UTF-8', bytes(0xc0, 0xaf), '\ufffd\ufffd'],
    ['a surrogate in UTF-8', bytes(0xed, 0xa0, 0x80), '\ufffd\ufffd\ufffd'],
    ['a cut character', bytes(0x61, 0xe2, 0x82), 'a\ufffd'],
  ])('replaces %s', (_, input, text) => {
    expect(decodeText(input, { syntax: 'text', headerCharset: 'utf-8' }).text).toBe(text)
  })

  it('replaces a lone surrogate of UTF-16', () => {
    const input = bytes(0x61, 0, 0, 0xd8, 0x62, 0)
    expect(decodeText(input, { syntax: 'text', headerCharset: 'utf-16le' }).text).toBe('a\ufffdb')
  })

  it('keeps the letters of windows-1252 that Latin-1 does not have', () => {
    expect(decodeText(bytes(0x80, 0x92), { syntax: 'text', headerCharset: 'iso-8859-1' }).text).toBe('€’')
  })

  it('does not read UTF-7', () => {
    const text = '+ADw-script+AD4-'
    expect(decodeText(ascii(text), { syntax: 'html', headerCharset: 'utf-7' }).text).toBe(text)
  })

  it('reads a BOM alone and nothing at all as empty', () => {
    expect(decodeText(bytes(0xef, 0xbb, 0xbf), { syntax: 'html' }).text).toBe('')
    expect(decodeText(bytes(), { syntax: 'html' })).toEqual({
      text: '',
      charset: 'utf-8',
      charsetSource: 'guess',
    })
  })

  it('decodes UTF-8 as TextDecoder does', () => {
    const piece = fc.constantFrom(
      [0xf0, 0x9f, 0x98, 0x80],
      [0xe2, 0x82],
      [0xed, 0xa0],
      [0xc0],
      [0x80],
      [0xf4, 0x90],
      [0x61],
    )
    const tricky = fc.array(piece).map((pieces) => Uint8Array.from(pieces.flat()))
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    fc.assert(
      fc.property(fc.oneof(tricky, fc.uint8Array({ maxLength: 64 })), (input) => {
        fc.pre(decodeText(input, { syntax: 'text' }).charsetSource !== 'bom')
        expect(decodeText(input, { syntax: 'text', headerCharset: 'utf-8' }).text).toBe(decoder.decode(input))
      }),
    )
  })

  it('never throws, and gives the same text for the same bytes whatever was decoded between', () => {
    const headerCharset = fc.option(
      fc.constantFrom(
        'utf-8',
        'shift_jis',
        'iso-2022-jp',
        'gb18030',
        'big5',
        'euc-kr',
        'utf-16le',
        'x-user-defined',
        'nope',
      ),
      { nil: undefined },
    )
    const options = fc.record({
      headerCharset,
      syntax: fc.constantFrom('html' as const, 'xml' as const, 'text' as const),
    })
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array(), options, (input, between, how) => {
        const first = decodeText(input, how)
        decodeText(between, how)
        expect(decodeText(input, how)).toEqual(first)
      }),
    )
  })
})
