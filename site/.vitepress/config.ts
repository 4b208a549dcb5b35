import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vitepress'
import { headingSlug } from '../heading-slug.ts'
import { namedCode } from '../named-code.ts'
import { apiSidebars, sidebar, topBar } from '../navigation.ts'
import { repositoryLinks } from '../repository-links.ts'
import { excludedFiles, pageOf, ROOT, repository } from '../site-pages.ts'

/** VitePress names the packages that Vite bundles for the browser as seen from the root of Vite, which has another node_modules. */
const packagesOfSite: Plugin = {
  name: 'packages-of-site',
  enforce: 'post',
  config({ optimizeDeps }) {
    const folder = join(ROOT, 'site/node_modules/')
    if (optimizeDeps?.include !== undefined)
      optimizeDeps.include = optimizeDeps.include.map((name) => name.replace('vitepress > ', folder))
  },
}

export default defineConfig({
  title: 'Orbweaver',
  description:
    'A polite web crawler for Node.js: the Nutch crawl cycle and scrapy-redis fleets, as one program',
  lang: 'en',
  srcDir: ROOT,
  srcExclude: excludedFiles(),
  outDir: '../site/dist',
  rewrites: (file) => pageOf(file) ?? file,
  metaChunk: true,
  transformPageData({ relativePath, frontmatter }) {
    // The API reference is not in git.
    if (relativePath.startsWith('api/')) frontmatter['editLink'] = false
  },
  transformHead: ({ siteData }) => [['link', { rel: 'icon', href: `${siteData.base}icon.svg` }]],
  vite: {
    // The icon of the search page.
    publicDir: join(ROOT, 'web/public'),
    // The search index is a chunk that is loaded with the first search.
    build: { chunkSizeWarningLimit: 10_000 },
    // The tsconfig of the sources, which are not part of the site, has a target that the esbuild of VitePress does not know.
    esbuild: { tsconfigRaw: {} },
    // VitePress names all packages to bundle; to look for more, Vite would read all sources.
    optimizeDeps: { noDiscovery: true },
    plugins: [packagesOfSite],
  },
  markdown: {
    anchor: { slugify: headingSlug },
    config(md) {
      namedCode(md)
      repositoryLinks(md)
    },
  },
  themeConfig: {
    logo: '/icon.svg',
    nav: topBar(),
    sidebar: { '/': sidebar(), ...apiSidebars() },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // A guide explains what a page of the API reference only names.
            boostDocument: (id: string) => (id.includes('/api/') ? 0.3 : 1),
          },
        },
      },
    },
    editLink: { pattern: `${repository()}/edit/main/:path`, text: 'Edit this page' },
    footer: { message: 'Apache-2.0' },
  },
})
