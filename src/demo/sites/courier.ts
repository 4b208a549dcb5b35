import type { DemoPage, DemoSite, DemoTrap } from '../demo-site.ts'
import { feed, page } from './site-files.ts'

/** A newspaper: dated articles, a feed, no robots.txt, redirects, broken pages, and a calendar that never ends. */

interface Article {
  readonly path: string
  readonly title: string
  readonly date: string
  readonly summary: string
  readonly text: string
}

const ARTICLES: readonly Article[] = [
  article(
    'mill-wheel',
    '2026-04-03',
    'Mill wheel turns again',
    'After eleven years the wheel in Mill Lane grinds flour.',
    `The wheel in Mill Lane turned on Thursday for the first time since the flood of 2015. Volunteers had replaced thirty-two paddles of larch. "It is
    louder than I remember," said the miller.

    The first sack went next door, to the [bakery](bakery:/about), which has promised a [walnut bread](bakery:/products/walnut?from=courier) in its honour.`,
  ),
  article(
    'silk-loom',
    '2026-04-19',
    'A loom for spider silk',
    'A workshop tries what the eighteenth century gave up.',
    `Two weavers in the old customs house want to make a ribbon of spider silk, a hand wide and a metre long. Their spiders walk free in the attic and are
    milked once a week. The loom is driven by an open program; its [manual](manual:/getting-started) is public.

    Whether it can be done is told in the [encyclopedia](orb:/silk/cloth), which is not hopeful.`,
  ),
  article(
    'fog-record',
    '2026-01-22',
    'Nineteen days of fog',
    'The longest fog since the weather station was built.',
    `For nineteen days the sun was not seen below four hundred metres. The ferry ran by radio. A [photographer](photos:/webs-in-fog) says it was the best month of her life.`,
  ),
  article(
    'library-cat',
    '2026-02-09',
    'Library cat has its own card',
    'Number 4711 has borrowed nothing so far.',
    `The cat that has slept among the atlases since last winter was given a reader's card on Monday. It allows twelve items for four weeks. The cat has not made use of it.`,
  ),
  article(
    'bridge-toll',
    '2026-02-27',
    'No toll on the footbridge',
    'The council votes nine to two against a turnstile.',
    `The footbridge stays free. Nine members of the council voted against the turnstile, two for it, and one had got stuck on the other side in the fog.`,
  ),
  article(
    'night-train',
    '2026-03-11',
    'Night train to stop here',
    'From December, at ten past three in the morning.',
    `The night train will stop at the lower station from December, at 3:10. The bakery, whose oven is lit at that hour, will sell coffee through the window.`,
  ),
  article(
    'swifts',
    '2026-05-08',
    'The swifts are back',
    'Two days later than last year, and eleven more of them.',
    `On Friday at noon the swifts came back to the tower. The warden counted sixty-four. They will stay for about ninety days and will not touch the ground.`,
  ),
  article(
    'clock-tower',
    '2026-05-21',
    'Tower clock to be late on purpose',
    'Four minutes, by old right.',
    `The clock on the tower will again be four minutes late, as it was until 1974. A deed of 1688 grants the town the delay, so that no one has to run for the market. See also the [swifts](/2026/swifts) that live behind its face.`,
  ),
]

function article(slug: string, date: string, title: string, summary: string, text: string): Article {
  return { path: `/2026/${slug}`, date, title, summary, text }
}

function articlePage({ title, date, summary, text }: Article): DemoPage {
  return page(title, summary, `Published on ${date}.\n\n${text}`, { modified: date })
}

const newestFirst = [...ARTICLES].sort((a, b) => (a.date < b.date ? 1 : -1))
const headlines = newestFirst
  .map(({ path, title, date, summary }) => `- ${date} [${title}](${path}): ${summary}`)
  .join('\n')

/** Months without end, from a year that no newspaper has events for. */
const calendar: DemoTrap = {
  covers: (path) => /^\/calendar\/\d{4}-\d{2}$/.test(path),
  isTooFar: () => true,
  page(path) {
    const [year = 0, month = 0] = path.slice('/calendar/'.length).split('-').map(Number)
    const next = month === 12 ? `${year + 1}-01` : `${year}-${String(month + 1).padStart(2, '0')}`
    return page(
      `Events in ${year}-${month}`,
      'No events.',
      `No events have been announced. [Next month](/calendar/${next})`,
    )
  },
}

export const courier: DemoSite = {
  name: 'courier',
  title: 'The Weald Courier',
  language: 'en',
  modified: '2026-05-21',
  hue: 205,
  feed: true,
  menu: [
    ['News', '/'],
    ['Archive', '/archive'],
    ['Calendar', '/calendar/'],
    ['Feed', '/feed.xml'],
  ],
  trap: calendar,
  resources: {
    '/': page(
      'News from the Weald',
      'A newspaper for a small valley.',
      `${headlines}\n\nWritten by hand: a [letter to the editor](/letters/handwriting). The [old front page](/index.php) has moved.`,
    ),
    '/archive': page(
      'Archive',
      'Older articles, and what became of them.',
      `${headlines}

      ## Before 2026

      - [The flood](/2015/flood), told in many parts
      - [The old series on clocks](/clocks/1)
      - [The missing issue](/2014/missing)
      - [The issue that breaks the press](/2013/broken)
      - [The issue all want to read](/2012/popular)`,
    ),
    ...Object.fromEntries(ARTICLES.map((one) => [one.path, articlePage(one)])),
    '/calendar/': page(
      'Calendar',
      'Events in the valley, planned well ahead.',
      'The valley plans ahead. [The first month with free dates](/calendar/2299-01) is not far away.',
    ),
    '/feed.xml': feed('The Weald Courier', newestFirst),
    '/letters/handwriting': page(
      'A letter',
      'From a reader, about handwriting.',
      `Sir, your issue of Friday was printed so small that I had to copy it out by hand to read it. I enclose the copy. It is yours to [reprint](/letters/reprint).`,
      { robots: 'noindex, nofollow' },
    ),
    '/letters/reprint': page(
      'Reprint',
      'The copy.',
      'Only the letter leads here, and the letter says not to follow it.',
    ),
    '/index.php': { kind: 'redirect', status: 301, to: '/' },
    // A chain.
    '/2015/flood': { kind: 'redirect', status: 302, to: '/stories/flood' },
    '/stories/flood': { kind: 'redirect', status: 307, to: '/dossier/flood' },
    '/dossier/flood': { kind: 'redirect', status: 308, to: '/dossier/flood-of-2015' },
    '/dossier/flood-of-2015': page(
      'The flood of 2015',
      'Eleven years on: what the water took and what it left.',
      `On the ninth of June 2015 the river rose three metres in an hour. It took the mill wheel, two bridges and the archive of this paper, which is why older links lead nowhere. The [wheel](/2026/mill-wheel) is back.`,
    ),
    // A loop.
    '/clocks/1': { kind: 'redirect', status: 302, to: '/clocks/2' },
    '/clocks/2': { kind: 'redirect', status: 302, to: '/clocks/1' },
    '/2013/broken': { kind: 'failure', status: 500, body: 'The press is broken.' },
    '/2012/popular': {
      kind: 'busy',
      retryAfterSeconds: 1,
      page: page(
        'The popular issue',
        'Worth waiting for.',
        'The issue of March 2012 had a recipe on its back page. It was read to pieces.',
      ),
    },
  },
}
