import type { DemoFile, DemoPage, DemoSite } from '../demo-site.ts'
import { page } from './site-files.ts'

/** Documentation: chapters in order, a reference, drafts that robots.txt keeps out, a slow page and a text file. */

const CHAPTERS: ReadonlyArray<readonly [path: string, page: DemoPage]> = [
  [
    '/getting-started',
    page(
      'Getting started',
      'Put up the loom, thread it, weave a first band.',
      `Loomkit drives a table loom with eight shafts. You need the loom, a warp of at least two metres, and an afternoon.

      - Screw the frame together and check that all shafts fall freely.
      - Wind the warp; see [warping](/warping).
      - Start the program and choose [plain weave](/patterns#plain).

      When the first threads cross, press the green pedal.`,
    ),
  ],
  [
    '/warping',
    page(
      'Warping',
      'Measure the threads that run the length of the cloth.',
      `Count the threads: width in centimetres times threads per centimetre, and two for each edge. Measure all of them to the same length around the pegs, and keep the cross,
      where neighbouring threads pass each other on different sides. Without the cross there is no order, and without order there is no cloth.`,
    ),
  ],
  [
    '/patterns',
    page(
      'Patterns',
      'Plain weave, twill, satin, and how to write your own.',
      `A pattern is a grid. Each row is a pick of the weft; each column is a warp thread; a filled square means that the warp is on top.

      ## Plain weave

      Over one, under one, and the other way round in the next row.

      ## Twill

      Over two, under one, and one step to the side in each row: the slope you know from jeans.

      ## Satin

      Over four, under one, with the crossings as far apart as they will go. Write your own in the [pattern language](/reference/language).`,
    ),
  ],
  [
    '/tension',
    page(
      'Tension',
      'Too slack, and it sags; too tight, and it breaks.',
      `Touch the warp with the flat of your hand. It should give way like the skin of a drum. Fine silk needs a brake of 20 grams a thread, wool 60, linen up to 100. For very fine threads see what a
      [spider](orb:/silk/dragline) makes.`,
    ),
  ],
  [
    '/troubleshooting',
    page(
      'Troubleshooting',
      'Threads that break, shafts that stick, edges that draw in.',
      `- Threads break at the edge: the weft is pulled too tight. Lay it in at a slant.
      - A shaft sticks: brush out the lint, then a drop of sewing machine oil.
      - The pattern is upside down: so is the loom; turn round, or set [mirror](/reference/settings#mirror).
      - It is three in the morning: have some [bread](bakery:/bread/).`,
    ),
  ],
]

const REFERENCE: ReadonlyArray<readonly [path: string, page: DemoPage]> = [
  [
    '/reference/language',
    page(
      'Pattern language',
      'The grammar of pattern files, on one page.',
      `A file is a list of lines, and a line is a row of the grid: x for warp on top, a dot for weft. A number in front repeats the line. A hash begins a remark. A file of two lines, "x." and ".x", is plain weave.`,
    ),
  ],
  [
    '/reference/settings',
    page(
      'Settings',
      'All settings with their defaults.',
      `| shafts | 8 | how many the loom has
      | mirror | no | turn the pattern over
      | pick | 12 | weft threads to the centimetre
      | beat | soft | how hard the batten strikes
      | bell | yes | ring when the bobbin runs out`,
    ),
  ],
  [
    '/reference/errors',
    page(
      'Error messages',
      'What the loom says, and what it means.',
      `| E1 | a shaft did not rise | look for lint
      | E2 | the pattern is empty | it has remarks only
      | E3 | the bobbin ran out | fetch another
      | E4 | no weaver | the pedal was not pressed for an hour`,
    ),
  ],
]

const CHANGES: DemoFile = {
  kind: 'file',
  type: 'text/plain; charset=utf-8',
  links: [],
  body: () => `Loomkit, changes

1.4   The bell rings once, instead of ringing on.
1.3   Patterns may be mirrored. Remarks may be in any language: 織り方, tissage, Weberei.
1.2   Tension in grams.
1.0   It weaves.
`,
}

function contents(entries: ReadonlyArray<readonly [string, DemoPage]>): string {
  return entries.map(([path, { title, description }]) => `- [${title}](${path}): ${description}`).join('\n')
}

export const manual: DemoSite = {
  name: 'manual',
  title: 'Loomkit manual',
  language: 'en',
  modified: '2026-02-01',
  hue: 160,
  menu: [
    ['Manual', '/'],
    ['Reference', '/reference/'],
    ['Changes', '/changes.txt'],
  ],
  robots: { disallow: ['/drafts/'] },
  resources: {
    '/': page(
      'The Loomkit manual',
      'How to put up, thread and drive a table loom.',
      `${contents(CHAPTERS)}

      Not finished: [a chapter on velvet](/drafts/velvet). Printed versions: [latest](/latest), and [1.2](/v1.2/), which is no longer kept.`,
    ),
    '/reference/': page(
      'Reference',
      'The pattern language, the settings, the error messages.',
      `${contents(REFERENCE)}\n\nEverything on one page takes a while: [the whole reference](/reference/all).`,
    ),
    ...Object.fromEntries(CHAPTERS),
    ...Object.fromEntries(REFERENCE),
    '/reference/all': page(
      'The whole reference',
      'All of it at once, slowly.',
      REFERENCE.map(([, { title, body }]) => `## ${title}\n\n${body}`).join('\n\n'),
      { delayMs: 800 },
    ),
    '/changes.txt': CHANGES,
    '/latest': { kind: 'redirect', status: 302, to: '/' },
    '/drafts/velvet': page('Velvet', 'A draft.', 'To be written.'),
  },
}
