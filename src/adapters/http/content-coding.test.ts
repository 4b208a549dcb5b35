import { randomBytes } from 'node:crypto'
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codingsOf, type Decoded, decodeBody } from './content-coding.ts'

const LIMITS = { maxBytes: 10 * 1024 * 1024, maxRatio: 200 }
const PAGE = Buffer.from(`<!doctype html><title>A page</title>${pseudoText(40_000)}`)

const ENCODERS: Record<string, (bytes: Uint8Array) => Buffer> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }),
  zstd: zstdCompressSync,
}

/** Text that compresses like text: words, no two lines alike. */
function pseudoText(length: number): string {
  let text = ''
  for (let i = 0; text.length < length; i++)
    text += `<p>line ${i} ${(i * 2654435761) % 4294967296} words</p>\n`
  return text.slice(0, length)
}

function bytesOf(decoded: Decoded): Buffer {
  if (decoded.kind !== 'decoded') throw new Error(`not decoded: ${decoded.kind}`)
  return Buffer.from(decoded.bytes)
}

describe('codingsOf', () => {
  it('lists them in order, from one header or several', () => {
    expect(
      codingsOf([
        ['content-encoding', ' GZip , identity,br'],
        ['content-type', 'x'],
        ['content-encoding', 'zstd'],
      ]),
    ).toEqual(['gzip', 'br', 'zstd'])
  })

  it('has none for a response without the header, or with an empty one', () => {
    expect(codingsOf([['content-encoding', ' , ']])).toEqual([])
  })
})

describe('decodeBody', () => {
  it.each(Object.keys(ENCODERS))('undoes %s', async (coding) => {
    const decoded = await decodeBody(ENCODERS[coding]?.(PAGE) ?? PAGE, [coding], LIMITS)
    expect(decoded).toMatchObject({ kind: 'decoded', undone: [coding] })
    expect(decoded).not.toHaveProperty('truncated')
    expect(bytesOf(decoded).equals(PAGE)).toBe(true)
  })

  it('undoes deflate without the zlib wrapper too', async () => {
    expect(bytesOf(await decodeBody(deflateRawSync(PAGE), ['deflate'], LIMITS)).equals(PAGE)).toBe(true)
  })

  it('undoes any stack of up to three', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 2_000 }),
        fc.array(fc.constantFrom(...Object.keys(ENCODERS)), { maxLength: 3 }),
        async (bytes, codings) => {
          const wire = codings.reduce<Uint8Array>((body, coding) => ENCODERS[coding]?.(body) ?? body, bytes)
          expect(bytesOf(await decodeBody(wire, codings, LIMITS)).equals(Buffer.from(bytes))).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('refuses four', async () => {
    expect(await decodeBody(PAGE, ['gzip', 'gzip', 'gzip', 'gzip'], LIMITS)).toMatchObject({
      kind: 'unsupported',
    })
  })

  it('refuses a coding it does not know, wherever it stands', async () => {
    expect(await decodeBody(PAGE, ['foo', 'gzip'], LIMITS)).toEqual({
      kind: 'unsupported',
      detail: 'content coding foo',
    })
  })

  it.each(Object.keys(ENCODERS))('leaves a plain body that was labelled %s as it is', async (coding) => {
    const decoded = await decodeBody(PAGE, [coding], LIMITS)
    expect(decoded).toMatchObject({ kind: 'decoded', undone: [] })
    expect(decoded).not.toHaveProperty('truncated')
    expect(bytesOf(decoded).equals(PAGE)).toBe(true)
  })

  it('undoes the one layer that is there when two were declared', async () => {
    const decoded = await decodeBody(gzipSync(PAGE), ['gzip', 'gzip'], LIMITS)
    expect(decoded).toMatchObject({ kind: 'decoded', undone: ['gzip'] })
    expect(bytesOf(decoded).equals(PAGE)).toBe(true)
  })

  it('takes an empty body as empty', async () => {
    expect(await decodeBody(new Uint8Array(), ['gzip'], LIMITS)).toEqual({
      kind: 'decoded',
      bytes: new Uint8Array(),
      undone: [],
    })
  })

  it.each(['gzip', 'deflate', 'br', 'zstd'])(
    'keeps the beginning of a cut %s body, flagged',
    async (coding) => {
      // zstd gives out whole blocks of up to 128 KiB, so it needs more than one to have a beginning.
      const page = Buffer.from(pseudoText(400_000))
      const wire = ENCODERS[coding]?.(page) ?? page
      const decoded = await decodeBody(wire.subarray(0, wire.length * 0.8), [coding], LIMITS)
      expect(decoded).toMatchObject({ kind: 'decoded', truncated: 'encoding', undone: [coding] })
      const bytes = bytesOf(decoded)
      expect(bytes.length).toBeGreaterThan(page.length / 4)
      expect(bytes.equals(page.subarray(0, bytes.length))).toBe(true)
    },
  )

  it('keeps the whole text of a gzip body whose checksum is wrong, flagged', async () => {
    const wire = gzipSync(PAGE)
    wire.writeUInt8(wire.readUInt8(wire.length - 6) ^ 1, wire.length - 6)
    const decoded = await decodeBody(wire, ['gzip'], LIMITS)
    expect(decoded).toMatchObject({ kind: 'decoded', truncated: 'encoding' })
    expect(bytesOf(decoded).equals(PAGE)).toBe(true)
  })

  it('stops at maxBytes and flags it', async () => {
    const decoded = await decodeBody(gzipSync(PAGE), ['gzip'], { maxBytes: 1_000, maxRatio: 200 })
    expect(decoded).toMatchObject({ kind: 'decoded', truncated: 'size' })
    expect(bytesOf(decoded).equals(PAGE.subarray(0, 1_000))).toBe(true)
  })

  it('keeps a body of exactly maxBytes whole', async () => {
    const decoded = await decodeBody(gzipSync(PAGE), ['gzip'], { maxBytes: PAGE.length, maxRatio: 200 })
    expect(decoded).not.toHaveProperty('truncated')
  })

  it('decodes a body that is too long for one call', async () => {
    const page = randomBytes(600_000)
    expect(bytesOf(await decodeBody(gzipSync(page), ['gzip'], LIMITS)).equals(page)).toBe(true)
  })

  it.each(['gzip', 'br', 'zstd'])('calls a %s bomb by its name', async (coding) => {
    const zeros = Buffer.alloc(12 * 1024 * 1024)
    expect(await decodeBody(ENCODERS[coding]?.(zeros) ?? zeros, [coding], LIMITS)).toEqual({ kind: 'bomb' })
  })

  it('looks at what was unpacked, not at what was sent behind it', async () => {
    const padded = Buffer.concat([gzipSync(Buffer.alloc(12 * 1024 * 1024)), randomBytes(200_000)])
    expect(await decodeBody(padded, ['gzip'], LIMITS)).toEqual({ kind: 'bomb' })
  })

  it('finds a bomb inside a bomb', async () => {
    const twice = gzipSync(gzipSync(Buffer.alloc(12 * 1024 * 1024)))
    expect(await decodeBody(twice, ['gzip', 'gzip'], LIMITS)).toEqual({ kind: 'bomb' })
  })

  it('lets a small page of one repeated line pass, whatever its ratio', async () => {
    const page = Buffer.from('the same line again\n'.repeat(40_000))
    const wire = gzipSync(page)
    expect(page.length / wire.length).toBeGreaterThan(LIMITS.maxRatio)
    expect(bytesOf(await decodeBody(wire, ['gzip'], LIMITS)).equals(page)).toBe(true)
  })

  it('never throws, whatever the bytes and the labels', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 500 }),
        fc.array(fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'foo'), { maxLength: 4 }),
        async (bytes, codings) => {
          const decoded = await decodeBody(bytes, codings, { maxBytes: 2_000, maxRatio: 200 })
          if (decoded.kind === 'decoded') expect(decoded.bytes.length).toBeLessThanOrEqual(2_000)
        },
      ),
      { numRuns: 150 },
    )
  })
})
