import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pageOf, ROOT, repository } from './site-pages.ts'

/**
 * The address on the site of a link in a file, which is relative so that it works on a code host: the address of the page that its target
 * becomes, or the target in the repository. Absolute links and anchors of the same file stay as they are.
 * @param file path from the root of the repository
 * @throws Error for a link to a file that does not exist
 */
export function siteAddress(href: string, file: string): string {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return href
  const [path = '', anchor] = href.split('#', 2)
  const target = relative(ROOT, join(ROOT, dirname(file), decodeURI(path)))
  if (target.startsWith('..') || !existsSync(join(ROOT, target)))
    throw new Error(`${file} links to ${href}, which does not exist`)
  const hash = anchor === undefined ? '' : `#${anchor}`
  const page = pageOf(target)
  if (page !== undefined) return `/${page}${hash}`
  const view = statSync(join(ROOT, target)).isDirectory() ? 'tree' : 'blob'
  return `${repository()}/${view}/main/${target}${hash}`
}
