import fc from 'fast-check'

/** Pieces that matter to URL rules, alone and in company. */
const PIECES = [
  ...[
    'a',
    'b',
    'A',
    'Z',
    '1',
    '0',
    '80',
    '8080',
    '0x7f',
    'h.example',
    'xn--',
    'xn--nxasmq6b',
    'index.html',
    'x.js',
  ],
  ...[
    '/',
    '/',
    '//',
    '/.',
    '/..',
    '/./',
    '/../',
    '.',
    '..',
    '\\',
    ':',
    '://',
    '@',
    'u:p@',
    '#',
    '#!',
    '?',
    '?',
    '??',
  ],
  ...[
    '&',
    '&',
    '&&',
    '=',
    ';',
    ';;',
    '+',
    '!',
    '*',
    '~',
    '-',
    '--',
    '_',
    "'",
    '"',
    '<',
    '>',
    '[',
    ']',
    '{',
    '|',
    '}',
    '^',
  ],
  ...[
    '`',
    '$',
    ',',
    '(',
    ')',
    '%',
    '%2',
    '%zz',
    '%41',
    '%7e',
    '%2e',
    '%2E',
    '%2e%2e',
    '%2f',
    '%2F',
    '%00',
    '%25',
    '%2541',
  ],
  ...[
    '%C3%B1',
    '%c3',
    '%3D',
    '%26',
    'sid=1',
    'SID=2',
    ';jsessionid=AB',
    '_sessionid=',
    'newsid=3',
    'bv_sessionid=x',
  ],
  ...[
    'utm_source=x',
    'gclid',
    ' ',
    '\t',
    '\n',
    '\r',
    '\0',
    '\x7f',
    'é',
    '１',
    '。',
    'ß',
    '\u00ad',
    '😀',
    '\ud800',
    '[::1]',
  ],
  ...[
    '/2024/01/02',
    'http:',
    'https:',
    'file:',
    'javascript:',
    'mailto:',
    '127.0.0.1',
    '1.2.3',
    'straße.de',
    'co.uk',
  ],
]

const START = [
  ...[
    'http://h.example/',
    'https://www.h.example/a/',
    'http://h.example',
    'http://',
    'https://',
    'HTTP://',
    'http:/',
  ],
  ...[
    'http:',
    '//',
    '/',
    '',
    ' ',
    'http://h.example:8080/',
    'http://[2001:db8::1]:81/',
    'http://h.example./',
    'ftp://h/',
  ],
]

const soup = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''))

/** Text that tries to break URL rules; much of it parses. */
export const hostileUrl: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom(...START), soup).map(([start, rest]) => start + rest) },
  { weight: 1, arbitrary: fc.webUrl({ withQueryParameters: true, withFragments: true }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)

/** A reference as pages have it: mostly relative, sometimes hostile. */
export const hostileHref: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('', '/', './', '../', '../../', '?', '#', 'a', 'a/b', '.', '..', '//'), soup)
      .map(([start, rest]) => start + rest),
  },
  { weight: 1, arbitrary: hostileUrl },
)

/** Mostly in normal form already. */
export const ordinaryUrl: fc.Arbitrary<string> = fc
  .record({
    scheme: fc.constantFrom('http', 'https'),
    host: fc.constantFrom(
      'h.example',
      'www.h-x.example',
      'a.b.c.example',
      'localhost',
      '4chan.example',
      'h_.example',
    ),
    port: fc.constantFrom('', '', '', ':8080', ':65535', ':65536', ':80', ':443', ':0800'),
    path: fc.array(
      fc.constantFrom('a', 'b.html', 'c-d', '%2F', '%C3%A9', 'x,y', "it's", '~u', '@me', 'a:b', 'p=1'),
      {
        maxLength: 4,
      },
    ),
    query: fc.array(
      fc.constantFrom('a=1', 'b=', 'c', 'id=5', 'q=a+b', 'u=http://x.example/', 'z=%26', 'nid=1', 'x?'),
      {
        maxLength: 3,
      },
    ),
    fragment: fc.constantFrom('', '', '#top', '#'),
  })
  .map(
    ({ scheme, host, port, path, query, fragment }) =>
      `${scheme}://${host}${port}/${path.join('/')}${query.length > 0 ? `?${query.join('&')}` : ''}${fragment}`,
  )
