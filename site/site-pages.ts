import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The repository: the site takes its pages from where they are. */
export const ROOT = join(import.meta.dirname, '..')

/** Pages outside docs/: file → address in the site, both without a leading slash. */
const OTHER_PAGES: Readonly<Record<string, string>> = {
  'site/index.md': 'index.md',
  'README.md': 'get-started.md',
  'bench/README.md': 'benchmarks.md',
  'examples/README.md': 'examples.md',
  'deploy/README.md': 'deployment.md',
  'CONTRIBUTING.md': 'contributing.md',
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'security.md',
}

/** Where `site/api-reference.ts` writes the API reference; not in git. */
export const API_FOLDER = 'site/api'

/** Globs of everything that is not a page. */
export function excludedFiles(): string[] {
  const pages = new Set(pageFiles())
  return globSync('**/*.md', { cwd: ROOT, exclude: ['node_modules', '**/node_modules'] }).filter(
    (file) => !pages.has(file) && !file.startsWith(`${API_FOLDER}/`),
  )
}

/** The files that are pages, apart from the API reference. */
export function pageFiles(): string[] {
  return [
    ...Object.keys(OTHER_PAGES).filter((file) => existsSync(join(ROOT, file))),
    ...globSync('docs/**/*.md', { cwd: ROOT }).sort(),
  ]
}

/**
 * The address of the page that a file becomes, ending in `.md`, without a leading slash.
 * @returns `undefined` if the file is not a page
 */
export function pageOf(file: string): string | undefined {
  if (file.startsWith(`${API_FOLDER}/`)) return file.slice('site/'.length)
  if (file.startsWith('docs/') && file.endsWith('.md'))
    return file.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md')
  return existsSync(join(ROOT, file)) ? OTHER_PAGES[file] : undefined
}

/** The first heading of a page. */
export function titleOf(file: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(ROOT, file), 'utf8')) ?? []
  if (title === undefined)
    throw new Error(`${file} has no heading of level 1, which is its title on the site`)
  return title.replaceAll('`', '')
}

/** Address of the repository on its code host, as package.json has it. */
export function repository(): string {
  const { repository: value } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    repository: { url: string }
  }
  return value.url.replace(/^git\+/, '').replace(/\.git$/, '')
}
