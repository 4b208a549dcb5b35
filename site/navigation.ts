import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DefaultTheme } from 'vitepress'
import { API_FOLDER, pageFiles, pageOf, ROOT, repository, titleOf } from './site-pages.ts'

/** A group of pages for one task, in reading order. A file is named once. */
interface Section {
  readonly title: string
  readonly files: readonly string[]
}

const docs = (...names: string[]): string[] => names.map((name) => `docs/${name}.md`)

const SECTIONS: readonly Section[] = [
  { title: 'Get started', files: ['README.md', 'examples/README.md', ...docs('library', 'troubleshooting')] },
  {
    title: 'Crawl',
    files: docs(
      ...['cycle', 'limits', 'check', 'fresh', 'traps', 'hosts-and-links', 'protocols', 'formats', 'content'],
      ...['ai-use', 'certificate'],
    ),
  },
  { title: 'Spiders', files: docs('spiders', 'javascript-sites', 'sessions-and-proxies', 'files') },
  { title: 'Fleet', files: [...docs('fleet'), 'deploy/README.md'] },
  { title: 'Search', files: docs('search', 'serve', 'index-targets', 'search-quality', 'mcp') },
  { title: 'Operate', files: docs('watching', 'control-api', 'control-api-reference', 'metrics', 'logs') },
  { title: 'Grow', files: [...docs('growing', 'scale', 'object-storage', 'spark'), 'bench/README.md'] },
  {
    title: 'Coming from …',
    files: docs('coming-from-nutch', 'coming-from-scrapy', 'coming-from-scrapy-redis', 'coming-from-crawlee'),
  },
  // Pages that no section names follow these, so that none is lost.
  { title: 'Reference', files: docs('commands', 'configuration', 'file-formats') },
  { title: 'Decisions', files: [...docs('architecture'), 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'] },
]

/** The sidebar of the guides. */
export function sidebar(): DefaultTheme.SidebarItem[] {
  const all = pageFiles().filter((file) => file !== 'site/index.md')
  const named = new Set(SECTIONS.flatMap(({ files }) => files))
  const decisions = all.filter((file) => file.startsWith('docs/decisions/'))
  const others = all.filter((file) => !named.has(file) && !decisions.includes(file))
  return SECTIONS.map(({ title, files }) => {
    const own = files.filter((file) => all.includes(file))
    const more = title === 'Reference' ? others : title === 'Decisions' ? decisions : []
    return {
      text: title,
      collapsed: true,
      items: [
        ...own.map(pageItem),
        ...more.map(pageItem),
        ...(title === 'Reference' ? [{ text: 'TypeScript API', link: '/api/' }] : []),
      ],
    }
  })
}

/** Entries of the bar at the top: the sections, each with its pages. */
export function topBar(): DefaultTheme.NavItem[] {
  const of = (title: string): DefaultTheme.NavItemWithLink[] =>
    (sidebar().find(({ text }) => text === title)?.items ?? []) as DefaultTheme.NavItemWithLink[]
  return [
    { text: 'Get started', link: '/get-started' },
    {
      text: 'Guides',
      items: ['Crawl', 'Spiders', 'Fleet', 'Search', 'Operate', 'Grow', 'Coming from …'].map((title) => ({
        text: title,
        link: of(title)[0]?.link ?? '/',
      })),
    },
    { text: 'Reference', items: of('Reference') },
    { text: 'API', link: '/api/' },
    { text: 'Repository', link: repository() },
  ]
}

function pageItem(file: string): DefaultTheme.SidebarItem & { text: string; link: string } {
  return { text: SHORT_TITLES[file] ?? decisionTitle(file) ?? titleOf(file), link: addressOf(file) }
}

/** The title of a decision in the list of docs/decisions/README.md; its own heading is a sentence. */
function decisionTitle(file: string): string | undefined {
  const list = join(ROOT, 'docs/decisions/README.md')
  if (!file.startsWith('docs/decisions/') || !existsSync(list)) return undefined
  return new RegExp(`\\[([^\\]]+)\\]\\(${basename(file)}\\)`).exec(readFileSync(list, 'utf8'))?.[1]
}

/** Where the heading of a file does not tell what the page is in a list. */
const SHORT_TITLES: Readonly<Record<string, string>> = {
  'README.md': 'What Orbweaver does',
  'docs/library.md': 'Library',
  'docs/content.md': 'Clean text, Markdown, chunks',
}

function addressOf(file: string): string {
  return `/${pageOf(file)?.replace(/(?:index)?\.md$/, '')}`
}

/** The sidebars of the API reference: all modules, and the names of the one that is shown, by kind. */
export function apiSidebars(): Record<string, DefaultTheme.SidebarItem[]> {
  const folder = join(ROOT, API_FOLDER)
  const modules = globSync('orbweaver/**/index.md', { cwd: folder })
    .map((index) => dirname(index))
    .sort()
  const links = (shown?: string): DefaultTheme.SidebarItem[] =>
    modules.map((module) => ({
      text: module,
      link: `/api/${module}/`,
      ...(module === shown && { items: namesOf(module) }),
    }))
  // The whole list would be in the HTML of every page.
  return Object.fromEntries([
    ['/api/', links()],
    ...modules.map((module) => [`/api/${module}/`, links(module)]),
  ])
}

function namesOf(module: string): DefaultTheme.SidebarItem[] {
  const folder = join(ROOT, API_FOLDER, module)
  return KINDS.filter((kind) => existsSync(join(folder, kind))).map((kind) => ({
    text: kind.replace('-', ' '),
    items: globSync('*.md', { cwd: join(folder, kind) })
      .map((file) => basename(file, '.md'))
      .sort()
      .map((name) => ({ text: name, link: `/api/${module}/${kind}/${name}` })),
  }))
}

/** Folders of a module, those that programs call first. */
const KINDS = ['functions', 'classes', 'interfaces', 'type-aliases', 'variables']
