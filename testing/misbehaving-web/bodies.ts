import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { bombs } from './bombs.ts'
import type { Response } from './exchange.ts'
import { endless, ok, page, type Routes, reply, route } from './route.ts'

const TEXT = '<title>packed</title>'

/** Bodies that are not what the headers say, do not end, or are more than they seem. */
export const bodyRoutes: Routes = {
  '/type/html-as-image': route(
    [27],
    'HTML called an image',
    typed('image/png', '<!doctype html><title>html</title>'),
  ),
  '/type/pdf-as-html': route([27], 'PDF called HTML', typed('text/html', '%PDF-1.7\n%âãÏÓ\n')),
  '/type/png-as-html': route(
    [27],
    'an image called HTML',
    typed('text/html', Buffer.from('89504e470d0a1a0a', 'hex')),
  ),
  '/type/missing': route([27], 'no type', reply({ body: '<!doctype html><title>html</title>' })),
  '/type/empty': route([27], 'an empty type', typed('', '<!doctype html><title>html</title>')),
  '/type/broken': route(
    [27],
    'a type of too many signs',
    typed('text/html;;charset==x', '<title>html</title>'),
  ),

  '/coding/gzip': route([28], 'gzip', coded('gzip', gzipSync(TEXT))),
  '/coding/gzip-but-plain': route([28], 'plain text called gzip', coded('gzip', TEXT)),
  '/coding/deflate': route([28], 'deflate in zlib, as the RFC says', coded('deflate', deflateSync(TEXT))),
  '/coding/deflate-raw': route(
    [28],
    'deflate without zlib, as some servers do',
    coded('deflate', deflateRawSync(TEXT)),
  ),
  '/coding/br': route([28], 'brotli', coded('br', brotliCompressSync(TEXT))),
  '/coding/zstd': route([28], 'zstd', coded('zstd', zstdCompressSync(TEXT))),
  '/coding/x-gzip': route([28], 'gzip under its old name', coded('X-GZip', gzipSync(TEXT))),
  '/coding/identity': route([28], 'the coding that is none', coded('identity', TEXT)),
  '/coding/unknown': route([28], 'an unknown coding', coded('foo', TEXT)),
  '/coding/2': route([28], 'two codings', coded('gzip, br', brotliCompressSync(gzipSync(TEXT)))),
  '/coding/3': route([28], 'three codings', coded('gzip, gzip, gzip', gzipped(3))),
  '/coding/10': route([28], 'ten codings', coded(Array(10).fill('gzip').join(', '), gzipped(10))),

  '/bomb/gzip': route([31], '64 MB in 64 KB of gzip', bomb('gzip', bombs.gzip)),
  '/bomb/deflate': route([31], '64 MB in 64 KB of deflate', bomb('deflate', bombs.deflate)),
  '/bomb/br': route([31], '16 MB in some bytes of brotli', bomb('br', bombs.br)),
  '/bomb/zstd': route([31], '64 MB in some KB of zstd', bomb('zstd', bombs.zstd)),
  '/bomb/gzip-in-gzip': route([31], '64 MB packed twice', bomb('gzip, gzip', bombs.gzipInGzip)),
  '/bomb/10-gb': route([31], '10 GB in 10 MB of gzip', bomb('gzip', bombs.tenGigabytes)),

  '/endless': route([32], 'a body without end', endless(ok(), '<p>and on</p>'.repeat(1_000))),
  '/endless/chunked': route(
    [32],
    'chunks without end',
    endless(ok('Transfer-Encoding: chunked'), chunk(16_000)),
  ),
  '/endless/events': route(
    [32],
    'an event stream',
    endless(ok('Cache-Control: no-store'), 'data: tick\n\n', 20),
  ),
  '/drip': route([33], 'a byte every 20 ms', endless(ok('Content-Length: 100000'), '.', 20)),
  '/drip/headers': route([33], 'a header byte every 20 ms', endless('HTTP/1.1 200 OK\r\nX-Slow: ', '.', 20)),
  '/huge/declared': route(
    [34],
    '5 GB by its own account',
    endless(ok('Content-Length: 5368709120'), Buffer.alloc(65_536)),
  ),
  '/partial': route(
    [35],
    'an unexpected 206',
    reply({
      status: 206,
      headers: { 'Content-Range': 'bytes 0-4/1000', 'Content-Type': 'text/plain' },
      body: 'hello',
    }),
  ),

  '/gzip/truncated': route(
    [36],
    'gzip cut in the middle',
    coded('gzip', gzipSync(noise()).subarray(0, 6_000)),
  ),
  '/gzip/crc': route([36], 'gzip with a wrong checksum', coded('gzip', spoiled(gzipSync(TEXT)))),
  '/gzip/trailing': route(
    [36],
    'gzip and then something else',
    coded('gzip', Buffer.concat([gzipSync(TEXT), Buffer.from('tail')])),
  ),

  '/empty': route([37], 'nothing', page('')),
  '/whitespace': route([37], 'white space only', page(' \n\t \r\n ')),
  '/bom': route([37], 'a byte order mark only', page('\ufeff')),
}

function typed(contentType: string, body: string | Uint8Array): Response {
  return reply({ headers: { 'Content-Type': contentType }, body })
}

function coded(contentEncoding: string, body: string | Uint8Array): Response {
  return reply({ headers: { 'Content-Type': 'text/html', 'Content-Encoding': contentEncoding }, body })
}

/** Made at the first request: packing takes a moment. */
function bomb(contentEncoding: string, make: () => Uint8Array): Response {
  let made: Response | undefined
  return (exchange) => {
    made ??= coded(contentEncoding, make())
    return made(exchange)
  }
}

function chunk(bytes: number): string {
  return `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`
}

function gzipped(layers: number): Uint8Array {
  let bytes: Uint8Array = Buffer.from(TEXT)
  for (let i = 0; i < layers; i++) bytes = gzipSync(bytes)
  return bytes
}

/** Numbers in no order: text that does not pack well, so that a cut in the middle leaves something to read. */
function noise(): string {
  let seed = 1
  const next = (): number => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed
  }
  return Array.from({ length: 3_000 }, next).join(' ')
}

/** The four bytes before the last four of a gzip stream are its checksum. */
function spoiled(gzip: Buffer): Buffer {
  const copy = Buffer.from(gzip)
  copy.fill(0, copy.length - 8, copy.length - 4)
  return copy
}
