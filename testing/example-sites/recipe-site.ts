import { gzipSync } from 'node:zlib'
import { type ExampleSite, htmlPage, type SiteReply } from './example-site.ts'

interface Recipe {
  readonly slug: string
  readonly changed: string
  readonly name: string
  readonly minutes: number
  readonly ingredients: readonly string[]
}

const RECIPES: readonly Recipe[] = Array.from({ length: 12 }, (_, number) => ({
  slug: `soup-${number}`,
  changed: `2026-0${1 + (number % 6)}-15`,
  name: `Soup no. ${number}`,
  minutes: 10 + number,
  ingredients: ['water', 'salt', `${number + 1} carrots`],
}))

/** What the sitemaps list that changed on that day or later, `2026-04-01`. */
export function recipesSince(day: string) {
  return RECIPES.filter(({ changed }) => changed >= day).map(({ name, minutes, ingredients }) => ({
    name,
    minutes,
    ingredients,
  }))
}

/** No page links to another: only the sitemaps know them. One of those is packed. They also list what robots.txt forbids. */
export const recipeSite: ExampleSite = {
  disallowed: ['/recipes/secret-'],
  sitemaps: ['/sitemap-index.xml'],
  response({ path, origin }) {
    const half = RECIPES.length / 2
    switch (path) {
      case '/sitemap-index.xml':
        return xml(
          `<sitemapindex xmlns="${NAMESPACE}"><sitemap><loc>${origin}/sitemap-1.xml</loc></sitemap><sitemap><loc>${origin}/sitemap-2.xml.gz</loc></sitemap></sitemapindex>`,
        )
      case '/sitemap-1.xml':
        return xml(sitemap(RECIPES.slice(0, half), origin))
      case '/sitemap-2.xml.gz':
        return {
          headers: { 'content-type': 'application/gzip' },
          body: gzipSync(sitemap(RECIPES.slice(half), origin)),
        }
    }
    const recipe = RECIPES.find(({ slug }) => path === `/recipes/${slug}`)
    return recipe && recipePage(recipe)
  },
}

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

function xml(body: string): SiteReply {
  return { headers: { 'content-type': 'application/xml' }, body: `<?xml version="1.0"?>${body}` }
}

function sitemap(recipes: readonly Recipe[], origin: string): string {
  const listed = recipes.map(
    ({ slug, changed }) => `<url><loc>${origin}/recipes/${slug}</loc><lastmod>${changed}</lastmod></url>`,
  )
  const others = ['recipes/secret-sauce', 'about', 'recipes/soup-1/comments'].map(
    (path) => `<url><loc>${origin}/${path}</loc></url>`,
  )
  return `<urlset xmlns="${NAMESPACE}">${listed.join('')}${others.join('')}</urlset>`
}

function recipePage({ name, minutes, ingredients }: Recipe) {
  const lines = ingredients.map((ingredient) => `<li>${ingredient}</li>`)
  return htmlPage(
    name,
    `<h1>${name}</h1><p>Takes <b class="minutes">${minutes} minutes</b>.</p><ul class="ingredients">${lines.join('')}</ul>`,
  )
}
