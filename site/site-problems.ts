import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Parser } from 'htmlparser2'

interface BuiltPage {
  readonly ids: ReadonlySet<string>
  /** Addresses that a reader can follow. */
  readonly links: readonly string[]
  /** Addresses that a browser loads with the page. */
  readonly resources: readonly string[]
}

/**
 * Broken links and anchors of a built site, and resources that it loads from other hosts.
 * @param folder the built site
 * @param base the path of the site on its host, with a slash at both ends
 */
export function siteProblems(folder: string, base: string): string[] {
  const files = new Set(globSync('**/*.*', { cwd: folder }))
  const pages = new Map(
    [...files]
      .filter((file) => file.endsWith('.html'))
      .map((file) => [file, readPage(readFileSync(join(folder, file), 'utf8'))]),
  )
  const styles = [...files]
    .filter((file) => file.endsWith('.css'))
    .flatMap((file) =>
      styleResources(readFileSync(join(folder, file), 'utf8'))
        .filter(isForeign)
        .map((address) => `${file} loads ${address}`),
    )
  const inPages = [...pages].flatMap(([file, { links, resources }]) => [
    ...resources.filter(isForeign).map((address) => `${file} loads ${address}`),
    ...[...links, ...resources]
      .filter((address) => !isForeign(address) && !/^(?:mailto|data):/.test(address))
      .filter((address) => !leadsSomewhere(address, file, base, files, pages))
      .map((address) => `${file} links to ${address}, which does not exist`),
  ])
  return [...new Set([...styles, ...inPages])]
}

function readPage(html: string): BuiltPage {
  const ids = new Set<string>()
  const links: string[] = []
  const resources: string[] = []
  const parser = new Parser({
    onopentag(name, { id, href, src, srcset, style, rel }) {
      if (id !== undefined) ids.add(id)
      if (src !== undefined) resources.push(src)
      if (srcset !== undefined)
        resources.push(...srcset.split(',').map((part) => part.trim().split(' ')[0] ?? ''))
      if (style !== undefined) resources.push(...styleResources(style))
      if (href !== undefined) (name === 'link' && rel !== 'canonical' ? resources : links).push(href)
    },
  })
  parser.end(html)
  return { ids, links, resources }
}

function styleResources(css: string): string[] {
  return Array.from(css.matchAll(/url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)/g), ([, url, imported]) =>
    String(url ?? imported),
  )
}

function isForeign(address: string): boolean {
  return /^(?:https?:)?\/\//i.test(address)
}

function leadsSomewhere(
  address: string,
  file: string,
  base: string,
  files: ReadonlySet<string>,
  pages: ReadonlyMap<string, BuiltPage>,
): boolean {
  const { pathname, hash } = new URL(address, `http://site${base}${file}`)
  if (!pathname.startsWith(base)) return false
  const path = decodeURI(pathname.slice(base.length))
  const target = path === '' || path.endsWith('/') ? `${path}index.html` : path
  const page = pages.get(target)
  if (page === undefined) return files.has(target)
  return hash === '' || page.ids.has(decodeURIComponent(hash.slice(1)))
}
