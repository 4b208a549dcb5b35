import type { DemoPage, DemoSite } from '../demo-site.ts'
import { page, sitemap } from './site-files.ts'

/** An encyclopedia: many pages that link to each other, a sitemap, and a page that only the sitemap lists. */

const SPIDERS: Readonly<Record<string, DemoPage>> = {
  '/spiders/garden-orbweaver': page(
    'Garden orbweaver',
    'Araneus diadematus, the cross spider: the builder of the wheel web in autumn gardens.',
    `The garden orbweaver, Araneus diadematus, carries a cross of pale spots on its back. In late summer the females are grown and hang head down in
    the middle of a [wheel web](/webs/orb-web) as wide as a dinner plate.

    Most of them eat their web in the evening and spin a new one before dawn. Silk is mostly [protein](/silk/protein), and a spider that lives on a few
    flies a week cannot afford to throw it away.

    In October the female lays several hundred eggs in a yellow [cocoon](/silk/egg-sac) and dies with the first frost.`,
  ),
  '/spiders/golden-silk': page(
    'Golden silk orbweaver',
    'Trichonephila spins webs over a metre wide, of yellow silk that can stop a small bird.',
    `Spiders of the genus Trichonephila live in the warm parts of the world. Their webs may be more than a metre across, and the silk has the colour of
    honey: it seems to draw bees in sunlight and to hide among leaves in the shade.

    The female is a hundred times heavier than the male, who lives at the edge of her web and steals what is too small for her. People have woven cloth
    from this silk. A cape shown in London in 2012 took the silk of more than a million spiders; see [silk as cloth](/silk/cloth).`,
  ),
  '/spiders/wasp-spider': page(
    'Wasp spider',
    'Argiope bruennichi, yellow and black, marks its web with a zigzag of silk.',
    `Argiope bruennichi wears the stripes of a wasp and has walked north as the summers grew warmer; a century ago it was a rarity north of the Alps.

    Down the middle of its web runs a white zigzag, the [stabilimentum](/webs/stabilimentum). What it is for has been argued about for a hundred years.`,
  ),
  '/spiders/bolas': page(
    'Bolas spider',
    'Mastophora has given up the web: it swings a drop of glue on a thread.',
    `Mastophora hangs from a twig at night with a single thread in one leg. On its end is a drop of glue. The spider gives off the scent of a female moth,
    and when a male comes near it swings the drop at the sound of his wings.

    It is an orbweaver by descent, and the whole wheel has shrunk to one sticky thread. Compare the [triangle weaver](/spiders/triangle-weaver).`,
  ),
  '/spiders/triangle-weaver': page(
    'Triangle weaver',
    'Hyptiotes builds a slice of a wheel and holds it taut with its own body.',
    `Hyptiotes builds only a slice of the wheel: four spokes that meet in one thread. The spider is the bridge between that thread and the twig. It reels in
    the slack, holds the whole web taut like a bow, and lets go when a fly touches it. Web and spider jump forward, and the fly is wrapped in wool.

    Its silk has no glue. It is [cribellate](/silk/cribellate): combed to fibres so fine that they cling by themselves.`,
  ),
  '/spiders/water-spider': page(
    'Diving bell spider',
    'Argyroneta aquatica lives under water in a bell of silk and air.',
    `Argyroneta aquatica is the only spider that spends its life under water. It spins a sheet between water plants and carries air to it from the
    surface, bubble by bubble, among the hairs of its body, until the sheet stands up as a bell.

    The bell is a gill as well: oxygen comes in from the water as it is used up inside, and the spider need not fetch air more than once a day.`,
  ),
  '/spiders/jumping-spider': page(
    'Jumping spiders',
    'Salticidae hunt by sight, and use silk as a climber uses a rope.',
    `Jumping spiders build no web to catch anything. They see: two large eyes in front give a sharp picture in colour, six smaller ones watch the rest.

    Before each leap the spider fixes a thread to the ground, the [dragline](/silk/dragline). It saves the spider when it falls, and it steadies the jump in the
    air.`,
  ),
  '/spiders/raft-spider': page(
    'Raft spider',
    'Dolomedes waits at the edge of ponds and reads the ripples.',
    `Dolomedes puts its front legs on the water and its back legs on a leaf. The surface is its web: ripples tell it what has fallen in and where. It runs
    over the water to fetch it, and dives when a bird comes.`,
  ),
}

const WEBS: Readonly<Record<string, DemoPage>> = {
  '/webs/orb-web': page(
    'Orb web',
    'The wheel web: frame, spokes, and a spiral of sticky thread, built in under an hour.',
    `The wheel is built in the dark and by touch. First comes the bridge: a thread that the wind carries to the next twig. From its middle the spider drops, and
    has a Y, the first three spokes. Then come the frame, twenty to thirty more spokes, and a dry spiral from the hub outwards to hold them.

    Only now the spider turns round. Walking inwards it lays the [capture spiral](/silk/capture-spiral) and eats the dry one as it goes. The work takes about forty
    minutes and about twenty metres of silk.

    - Who builds it: the [garden orbweaver](/spiders/garden-orbweaver), the [wasp spider](/spiders/wasp-spider), the [golden silk orbweaver](/spiders/golden-silk)
    - What else there is: [sheet webs](/webs/sheet-web), [funnels](/webs/funnel-web), [cobwebs](/webs/cobweb)`,
  ),
  '/webs/sheet-web': page(
    'Sheet web',
    'A hammock of silk below a tangle of tripping threads.',
    `On an autumn morning every bush seems to be hung with small cloths: the sheet webs of money spiders, made visible by dew. Above the sheet is a tangle of threads
    that trips flying insects. They fall, and the spider bites them through the cloth from below.`,
  ),
  '/webs/funnel-web': page(
    'Funnel web',
    'A flat sheet with a tube at one end, where the spider sits.',
    `House spiders of the family Agelenidae build a flat sheet that narrows to a tube in a corner. The sheet is not sticky at all. It is an alarm: the spider
    feels a footstep at its far end and is faster than its prey.`,
  ),
  '/webs/cobweb': page(
    'Cobweb',
    'A tangle with gumfoot lines: threads under tension, glued to the ground.',
    `What gathers dust in corners is the work of comb-footed spiders. Lines stretched tight run from the tangle to the floor, and only their lowest
    millimetres carry glue. An ant that touches one breaks it loose and is pulled up into the air.`,
  ),
  '/webs/stabilimentum': page(
    'Stabilimentum',
    'The white zigzag in some orb webs, and four guesses about its use.',
    `Some orbweavers that sit in their web by day add a band of dense white silk. It was named for the guess that it makes the web stable, which it does not.

    - It may hide the outline of the spider.
    - It may warn birds not to fly through the web.
    - It may draw insects by reflecting ultraviolet light.
    - It may be a way to be rid of silk that would be needed for the next catch anyway.

    See the [wasp spider](/spiders/wasp-spider).`,
  ),
}

const SILK: Readonly<Record<string, DemoPage>> = {
  '/silk/protein': page(
    'What silk is made of',
    'Spidroins: long proteins that are liquid in the gland and solid in the air.',
    `In the gland silk is a liquid as thick as honey. On the way through a narrow duct water is drawn off, the acidity rises, and the proteins, called spidroins, are
    pulled straight and lock together. What comes out is solid. No spider squeezes silk out: it is always drawn, by a leg, by the wind or by the spider's own weight.`,
  ),
  '/silk/dragline': page(
    'Dragline silk',
    'The safety rope: for its weight stronger than steel, and it stretches by a third.',
    `Dragline is the thread a spider trails wherever it goes, and also the frame and spokes of a [wheel web](/webs/orb-web). For its weight it is stronger than steel; what sets it
    apart is that it stretches by a third before it breaks, so that it takes up more energy than almost any fibre people make.`,
  ),
  '/silk/capture-spiral': page(
    'Capture spiral',
    'Elastic thread with beads of glue, wound up inside the beads by water.',
    `The sticky thread of the spiral can be stretched to three times its length. Along it sit droplets of glue, and inside each droplet the slack thread is wound up by the
    surface tension of water: a winch that keeps the spiral tight when the web sways.`,
  ),
  '/silk/cribellate': page(
    'Cribellate silk',
    'Dry wool of thousands of fibres that sticks without glue.',
    `Long before glue there was wool. A plate with thousands of tiny spigots, the cribellum, gives off fibres a hundred times thinner than a hair, and a comb on the hind leg
    fluffs them up. They cling to the feet of insects, and soak up the wax of their skin. The [triangle weaver](/spiders/triangle-weaver) still uses it.`,
  ),
  '/silk/egg-sac': page(
    'Egg sac',
    'A silk of its own, tough and wrinkled, that lasts through the winter.',
    `For her eggs a spider has a gland she uses once or twice in her life. Its silk is coarse and tough; several layers of different weave keep out frost, mould and the
    long drills of wasps.`,
  ),
  '/silk/cloth': page(
    'Silk as cloth',
    'Why there are silkworm farms and no spider farms.',
    `Spiders kept together eat each other, and one spider yields a few dozen metres at a time. In 1709 a Frenchman, Bon de Saint-Hilaire, showed stockings and
    gloves of spider silk to the Academy in Paris; it was worked out that a pound would need tens of thousands of spiders.

    The story of a newer attempt is told in the [Courier](courier:/2026/silk-loom).`,
  ),
}

const ALL = { ...SPIDERS, ...WEBS, ...SILK }

function list(pages: Readonly<Record<string, DemoPage>>): string {
  return Object.entries(pages)
    .map(([path, { title, description }]) => `- [${title}](${path}): ${description}`)
    .join('\n')
}

export const orb: DemoSite = {
  name: 'orb',
  title: 'The Orb, a small encyclopedia of spiders and webs',
  language: 'en',
  modified: '2026-03-14',
  hue: 265,
  menu: [
    ['Start', '/'],
    ['Spiders', '/spiders/'],
    ['Webs', '/webs/'],
    ['Silk', '/silk/'],
    ['Site map', '/sitemap.xml'],
  ],
  robots: { sitemap: true },
  resources: {
    '/': page(
      'Spiders and their webs',
      'Nineteen short articles about spiders, the webs they build and the silk they build them from.',
      `Of some fifty thousand kinds of spider, about half catch their food with a web. This small encyclopedia is about those, and about a few that found another way.

      Begin with the [wheel web](/webs/orb-web), or with the animal most of us know it from, the [garden orbweaver](/spiders/garden-orbweaver). What they all have in
      common is [silk](/silk/).

      Elsewhere: [pictures of webs](photos:/webs-in-fog), a [bread called spider](bakery:/products/spider-bread), and the [manual of a loom](manual:/).`,
    ),
    '/spiders/': page('Spiders', 'All spiders in this encyclopedia.', list(SPIDERS)),
    '/webs/': page(
      'Webs',
      'The kinds of web.',
      `${list(WEBS)}\n\nAn older page about [round webs](/wheel-web) is still linked here and there.`,
    ),
    '/silk/': page('Silk', 'What silk is, and what spiders use it for.', list(SILK)),
    ...ALL,
    '/about-names': page(
      'About names',
      'How spiders get their scientific names. Known to the site map alone.',
      `The first scientific names of spiders are older than those of all other animals: Carl Clerck published his in 1757, a year before the date from which names count, and an
      exception was made for him.`,
    ),
    '/wheel-web': { kind: 'redirect', status: 301, to: '/webs/orb-web' },
    '/sitemap.xml': sitemap(
      ['/', '/spiders/', '/webs/', '/silk/', ...Object.keys(ALL), '/about-names'],
      '2026-03-14',
    ),
  },
}
