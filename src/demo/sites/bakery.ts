import type { DemoPage, DemoSite, DemoTrap } from '../demo-site.ts'
import { page } from './site-files.ts'

/** A shop: categories, near-duplicate products, a basket that robots.txt disallows, and an unlimited search. */

interface Product {
  readonly path: string
  readonly name: string
  readonly category: Category
  readonly price: string
  readonly grams: string
  readonly made: string
  readonly note: string
}

type Category = 'bread' | 'rolls' | 'cake'

const CATEGORIES: Readonly<Record<Category, string>> = {
  bread: 'Bread that keeps for a week and is better on the second day.',
  rolls: 'Small things, baked twice a day.',
  cake: 'For afternoons.',
}

// The first two make pages that are nearly the same.
const PRODUCTS: readonly Product[] = `
country-loaf | Country loaf, large | bread | 5.80 | 1000 | rye flour, water, salt, a sourdough older than the shop | A dark crust and a sour, close crumb.
country-loaf-small | Country loaf, small | bread | 3.20 | 500 | rye flour, water, salt, a sourdough older than the shop | A dark crust and a sour, close crumb.
walnut | Walnut bread | bread | 4.90 | 600 | rye flour, water, salt, sourdough, walnuts | Purple where the nuts have stained it.
spider-bread | Spider bread | bread | 4.40 | 700 | corn meal, milk, eggs, butter | Named for the spider, an iron pan with three legs that stood in the embers.
baguette | Baguette | bread | 1.60 | 250 | wheat flour, water, salt, yeast | Four hours from oven to stale, and worth it.
poppy-roll | Poppy seed roll | rolls | 0.70 | 60 | wheat flour, water, salt, yeast, poppy seeds | The seeds are everywhere, and that is half of it.
pretzel | Pretzel | rolls | 0.90 | 85 | wheat flour, water, salt, yeast, lye | Brown and shiny from a bath in lye.
cinnamon-knot | Cinnamon knot | rolls | 2.10 | 110 | wheat flour, milk, butter, cinnamon, cardamom | Tied by hand; no two are the same.
apple-cake | Apple cake | cake | 3.30 | 160 | apples, wheat flour, butter, sugar, eggs | More apple than cake.
plum-tart | Plum tart | cake | 3.50 | 150 | plums, wheat flour, butter, sugar | From August until the plums are gone.
honey-cake | Honey cake | cake | 2.90 | 120 | rye flour, honey, spices | Baked in October for December.
`
  .trim()
  .split('\n')
  .map(product)

function product(line: string): Product {
  const [slug, name = '', category, price = '', grams = '', made = '', note = ''] = line.split(' | ')
  return { path: `/products/${slug}`, name, category: category as Category, price, grams, made, note }
}

function productPage({ path, name, category, price, grams, made, note }: Product): DemoPage {
  return page(
    name,
    `${name}, ${grams} g, € ${price}. ${note}`,
    `${note}

    | Price | € ${price}
    | Weight | ${grams} g
    | Made of | ${made}

    We bake it in a brick oven that is fired with beech at three in the morning. Come before noon, or [put it in the basket](/basket/add?item=${path.slice(10)}) and fetch it until six.

    More in [${category}](/${category}/).`,
    { canonical: path },
  )
}

const productPages = Object.fromEntries(
  PRODUCTS.flatMap((one) => [
    [one.path, productPage(one)],
    // Links from elsewhere carry a mark; the page knows its own name.
    [`${one.path}?from=courier`, productPage(one)],
  ]),
)

function categoryPage(category: Category): DemoPage {
  const rows = PRODUCTS.filter((one) => one.category === category).map(
    ({ name, path, price }) => `| [${name}](${path}) | € ${price}`,
  )
  return page(
    `${category.charAt(0).toUpperCase()}${category.slice(1)}`,
    CATEGORIES[category],
    `${CATEGORIES[category]}\n\n${rows.join('\n')}`,
  )
}

const TAGS = ['rye', 'seeds', 'sweet', 'small', 'dark', 'fresh', 'soft', 'crisp']

/** Each page of the search offers one tag more, for ever. */
const search: DemoTrap = {
  covers: (path) => /^\/search\?tag=[a-z]+(?:&tag=[a-z]+)*$/.test(path),
  isTooFar: (path) => path.split('tag=').length - 1 > 6,
  page(path) {
    const tags = Array.from(path.matchAll(/tag=([a-z]+)/g), ([, tag = '']) => tag)
    const next = TAGS[tags.length % TAGS.length]
    return page(
      `Search: ${tags.join(', ')}`,
      `Products that are ${tags.join(' and ')}.`,
      `Nothing is all of this at once. Perhaps something that is also [${next}](${path}&tag=${next})?`,
      { robots: 'noindex' },
    )
  },
}

export const bakery: DemoSite = {
  name: 'bakery',
  title: 'Crumb & Crust, bakers',
  language: 'en',
  modified: '2026-05-02',
  hue: 28,
  menu: [
    ['Shop', '/'],
    ['Bread', '/bread/'],
    ['Rolls', '/rolls/'],
    ['Cake', '/cake/'],
    ['About us', '/about'],
  ],
  robots: { disallow: ['/basket/', '/account'] },
  trap: search,
  resources: {
    '/': page(
      'Bread from a brick oven',
      'Crumb & Crust bakes rye bread, rolls and cake in a brick oven, every night but Sunday.',
      `We have baked in Mill Lane since 1911. Look at the [bread](/bread/), the [rolls](/rolls/) and the [cake](/cake/), or [search by taste](/search?tag=rye).

      The [plum tart](/products/plum-tart) is back. The [marzipan hedgehog](/products/hedgehog) is not: it is sold out, and the page says so with a status of its own.

      [Your account](/account) · [Staff only](~/staff)`,
      { alternates: { fr: '/fr/', en: '/' } },
    ),
    '/bread/': categoryPage('bread'),
    '/rolls/': categoryPage('rolls'),
    '/cake/': categoryPage('cake'),
    ...productPages,
    '/products/hedgehog': { kind: 'failure', status: 410, body: 'The hedgehog will not come back.' },
    '/about': page(
      'About us',
      'Who bakes at Crumb & Crust, and when.',
      `Three bakers, one oven, no Sundays. The flour comes from the mill at the end of the lane, which was in the [Courier](courier:/2026/mill-wheel) this spring. En français: [le pain](/fr/).

      An earlier [price list](/prices-2019) is gone, and the link to it was forgotten.`,
    ),
    '/fr/': page(
      'Le pain du fournil',
      'Crumb & Crust : du pain de seigle, des petits pains et des gâteaux cuits au feu de hêtre.',
      `Depuis 1911, notre four à bois s'allume à trois heures du matin. Le levain est plus âgé que la boutique. Goûtez la [tarte aux prunes](/products/plum-tart), très appréciée
      l'été, et le pain aux noix, coloré de violet. À bientôt, à la fenêtre de la boulangerie !

      [Le pain d'épices](/fr/pain-d-epices)`,
      { language: 'fr', alternates: { fr: '/fr/', en: '/' } },
    ),
    '/fr/pain-d-epices': page(
      "Pain d'épices",
      'Du seigle, du miel et des épices : cuit en octobre, mangé en décembre.',
      `Le pain d'épices se bonifie en vieillissant. On le pétrit à l'automne, on le range dans une boîte en fer, et l'on patiente jusqu'à Noël. Même très sec, il fond dans le thé.`,
      { language: 'fr', charset: 'iso-8859-1' },
    ),
    '/account': page('Your account', 'Sign in.', 'You are not signed in.'),
    '/staff': page('Staff', 'The oven rota.', 'Mon, Wed, Fri: Agnes. Tue, Thu, Sat: Piet.'),
  },
}
