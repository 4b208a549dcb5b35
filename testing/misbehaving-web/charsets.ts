import type { Response } from './exchange.ts'
import { type Routes, reply, route } from './route.ts'

/** Pages whose bytes are not the text they seem to be. */
export const charsetRoutes: Routes = {
  '/charset/unknown': route([38], 'an unknown charset', html('<title>caf\u00e9</title>', 'klingon-8')),
  '/charset/lying': route(
    [38],
    'Latin-1 called UTF-8',
    html(Buffer.from('<title>caf\xe9</title>', 'latin1'), 'utf-8'),
  ),
  '/charset/utf-16': route(
    [38],
    'UTF-16 without a mark',
    html(Buffer.from('<title>wide</title>', 'utf16le')),
  ),
  '/charset/utf-16-bom': route(
    [38],
    'UTF-16 with a mark',
    html(Buffer.from('\ufeff<title>wide</title>', 'utf16le')),
  ),
  '/charset/utf-7': route(
    [38],
    'UTF-7, which browsers gave up',
    html('<title>+ADw-script+AD4-</title>', 'utf-7'),
  ),
  '/charset/iso-2022-jp': route(
    [38],
    'Japanese in seven bits',
    html(Buffer.from('<title>\x1b$B$3$s$K$A$O\x1b(B</title>', 'latin1'), 'iso-2022-jp'),
  ),
  '/charset/meta': route(
    [38],
    'a charset in a meta only',
    html(Buffer.from('<meta charset="windows-1251"><title>\xcf\xf0\xe8\xe2\xe5\xf2</title>', 'latin1')),
  ),
  '/charset/conflict': route(
    [38],
    'one charset in the header, another in a meta',
    html(Buffer.from('<meta charset="windows-1251"><title>caf\u00e9</title>'), 'utf-8'),
  ),
  '/charset/broken': route(
    [38],
    'NULs, lone surrogates and overlong bytes',
    html(
      Buffer.concat([
        Buffer.from('<title>a\0b'),
        Buffer.of(0xed, 0xa0, 0x80, 0xc0, 0xaf, 0xff),
        Buffer.from('</title>'),
      ]),
      'utf-8',
    ),
  ),
}

function html(body: string | Uint8Array, charset?: string): Response {
  const type = charset === undefined ? 'text/html' : `text/html; charset=${charset}`
  return reply({ headers: { 'Content-Type': type }, body })
}
