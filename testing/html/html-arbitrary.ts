/** Generators of HTML for property tests. Long because the formatter gives each piece of a list its own line. */
import fc from 'fast-check'

/** Text with everything that has a meaning inside text, and characters of one, two and four bytes. */
const text = fc
  .array(
    fc.constantFrom(
      ...[
        'word',
        'a',
        'é',
        '漢',
        '😀',
        ' ',
        '  ',
        '\n',
        '\t',
        '\r\n',
        '\r',
        '\f',
        '\0',
        '\u00a0',
        '\u0001',
        '>',
        '"',
        "'",
        '=',
        '/',
        '-',
        ']]>',
      ],
      ...[
        '&',
        '&amp;',
        '&lt;',
        '&copy',
        '&notit;',
        '&nbsp;',
        '&#32;',
        '&#10;',
        '&#x1F600;',
        '&#0;',
        '&#128;',
        '&NotEqualTilde;',
        '< ',
        '<3',
        '<',
      ],
    ),
    { maxLength: 6 },
  )
  // A `<` that starts something is for `soup`.
  .map((pieces) => pieces.join('').replace(/<(?=[a-z/!?])|<$/gi, '< '))

const url = fc
  .array(fc.constantFrom(...['/', 'a', '?b=1', '&amp;', '&copy=', '&lt', '#f', '.', 'http:', 'é', '%20']), {
    minLength: 1,
    maxLength: 5,
  })
  .map((pieces) => pieces.join(''))

/** An attribute's value in any of the three ways to write one. */
const quoted = (value: fc.Arbitrary<string>) =>
  fc.tuple(value, fc.constantFrom('"', "'", '')).map(([content, quote]) => {
    if (quote === '') return content.replace(/[\s"'`=<>&]/g, '') || 'x'
    return `${quote}${content.replaceAll(quote, '')}${quote}`
  })

/** Begins with white space: a `/` alone would belong to an unquoted value before it. */
const gap = fc.constantFrom(' ', '\n', '\t ', ' / ', ' /')

const attributes = (names: readonly string[]) =>
  fc
    .array(
      fc.tuple(gap, fc.constantFrom(...names), fc.constantFrom('=', ' = ', ''), quoted(fc.oneof(url, text))),
      { maxLength: 4 },
    )
    .map((list) =>
      list
        .map(([before, name, equals, value]) => `${before}${name}${equals === '' ? '' : equals + value}`)
        .join(''),
    )

const LINK_ATTRIBUTES = ['href', 'HREF', 'rel', 'class', 'title', 'data-x', 'src', 'alt', 'href2']
const META_ATTRIBUTES = ['name', 'content', 'http-equiv', 'charset', 'property']

const tag = (name: fc.Arbitrary<string>, names: readonly string[] = LINK_ATTRIBUTES) =>
  // The space keeps a `/` from ending up in an unquoted value or from closing a foreign element.
  fc.tuple(name, attributes(names)).map(([element, attrs]) => `<${element}${attrs} >`)

const comment = fc.constantFrom(
  ...[
    '<!---->',
    '<!-->',
    '<!--->',
    '<!-- <a href=c> -->',
    '<!-- --!>',
    '<!-- -- > --->',
    '<!x>',
    '<?x?>',
    '</ x>',
    '</>',
  ],
)

const rawText = fc.constantFrom(
  ...[
    '<script>a<b</script>',
    '<script><!--<script></script>--></script >',
    '<script><!--></script>',
    '<script><!-- <script >-->x</script>',
  ],
  ...[
    '<style></styl></style/>',
    '<iframe src=i><a href=x></iframe>',
    '<noembed><p></noembed>',
    '<xmp><b>&amp;\0</xmp>',
  ],
  ...[
    '<textarea>\n a  &lt;<a href=x>\r\n</textarea>',
    '<textarea>\0</textarea>',
    '<title>b&amp;<i></title>',
    '<noframes><a href=x></noframes>',
  ],
)

const empty = fc.oneof(
  text,
  text,
  comment,
  rawText,
  tag(fc.constantFrom('br', 'hr', 'img', 'area', 'wbr', 'input', 'link', 'base')),
  tag(fc.constant('meta'), META_ATTRIBUTES),
)

/** One element around others. */
const around = (start: fc.Arbitrary<string>, end: (start: string) => string, content: fc.Arbitrary<string>) =>
  fc.tuple(start, content).map(([open, inside]) => `${open}${inside}${end(open)}`)

const endOf = (start: string) => `</${/^<([a-z0-9-]+)/i.exec(start)?.[1]}>`

const foreign = fc.oneof(
  svg(
    fc.oneof(
      text,
      tag(fc.constantFrom('a', 'g', 'text')).map((start) => `${start}t${endOf(start)}`),
      cdata(),
    ),
  ),
  around(
    fc.constant('<math>'),
    () => '</math>',
    fc
      .array(
        fc.oneof(
          text.map((content) => `<mi>${content}</mi>`),
          cdata(),
          fc.constant('<mspace/>'),
          fc.constant('<mtext>x<b>y</b></mtext>'),
        ),
        { maxLength: 3 },
      )
      .map(join),
  ),
)

function svg(child: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const parts = fc.oneof(
    child,
    fc.constantFrom(
      '<path d="M0">',
      '<g/>',
      '<title>no<b>x</b></title>',
      '<style>a{}</style>',
      '<script>1 < 2</script>',
      '<desc><p>no</p></desc>',
    ),
    text.map((content) => `<foreignObject><div>${content}</div></foreignObject>`),
  )
  return fc.array(parts, { maxLength: 4 }).map((list) => `<svg>${list.join('')}</svg>`)
}

function cdata(): fc.Arbitrary<string> {
  // parse5 makes one replacement character of several NULs in a row; the standard says one for each.
  return text.map((content) => `<![CDATA[${content.replaceAll(']]>', '').replace(/\0+/g, '\0')}<a href=x>]]>`)
}

function table(content: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const cell = fc
    .tuple(fc.constantFrom('td', 'th'), content)
    .map(([name, inside]) => `<${name}>${inside}</${name}>`)
  const row = fc.array(cell, { maxLength: 3 }).map((cells) => `<tr>${cells.join('')}</tr>`)
  return fc.array(row, { maxLength: 3 }).map((rows) => `<table><tbody>${rows.join('\n')}</tbody></table>`)
}

interface Tree {
  readonly inline: string
  readonly block: string
  readonly nodes: string
}

/**
 * Well-nested HTML: what parsers build from it is what it says. A link holds no other link, a paragraph no block, and
 * a table only rows of cells, since a parser repairs the rest by moving things.
 */
export const wellNested: fc.Arbitrary<string> = fc.letrec<Tree>((tie) => {
  const inline = tie('inline') as fc.Arbitrary<string>
  const nodes = tie('nodes') as fc.Arbitrary<string>
  return {
    inline: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      empty,
      around(tag(fc.constantFrom('span', 'b', 'EM', 'code', 'custom-element', 'label')), endOf, inline),
      around(
        tag(fc.constant('a')),
        () => '</a>',
        fc.array(fc.oneof(text, comment, tag(fc.constantFrom('img', 'br'))), { maxLength: 3 }).map(join),
      ),
      foreign,
    ),
    block: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      inline,
      around(
        tag(fc.constantFrom('div', 'section', 'UL', 'blockquote', 'noscript', 'article', 'dl')),
        endOf,
        nodes,
      ),
      around(tag(fc.constantFrom('p', 'h1', 'pre', 'summary')), endOf, inline),
      around(fc.constant('<template>'), () => '</template>', nodes),
      table(nodes),
    ),
    nodes: fc.array(tie('block') as fc.Arbitrary<string>, { maxLength: 4 }).map(join),
  }
}).nodes

/**
 * Pieces of HTML in any order, cut anywhere. Left out is what a parser responds by moving or dropping whole elements, which
 * a scanner does not imitate: tables (foster parenting), select and frameset (content dropped), object and marquee
 * (they wall off an open link), template and foreign content (in `wellNested`).
 */
export const soup: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      empty,
      tag(
        fc.constantFrom(
          'a',
          'A',
          'p',
          'div',
          'b',
          'li',
          'h1',
          'span',
          'pre',
          'i',
          'ul',
          'button',
          'nobr',
          'form',
        ),
      ),
      fc.constantFrom(
        ...[
          '</a>',
          '</A >',
          '</p>',
          '</div x=">">',
          '</b>',
          '</li>',
          '</br>',
          '</h1/>',
          '</pre>',
          '</i>',
          '</ul>',
          '</form>',
        ],
      ),
      fc.constantFrom(
        ...[
          '<a/href=c/>',
          '<a href=',
          '<a href="',
          "<a href='x'",
          '<a',
          '</a',
          '<!--',
          '<!',
          '<?',
          '</',
          '<',
          '"',
          "'",
          '>',
          '/>',
          '=',
          'x',
        ],
      ),
      fc.constantFrom(
        ...[
          '<script>',
          '</script>',
          '<style>',
          '</style>',
          '<textarea>',
          '</textarea>',
          '<title>',
          '</title>',
          '-->',
          '<plaintext>',
        ],
      ),
    ),
    { maxLength: 24 },
  )
  .map(join)

function join(pieces: readonly string[]): string {
  return pieces.join('')
}
