import { REAL_SITES, type RealSite, requireSite } from '../testing/real-web/real-sites.ts'
import { requireNginx } from '../testing/real-web/serve-real-sites.ts'
import { chosenNames } from './chosen-names.ts'

/**
 * The real sites that an environment variable chooses by name. They and nginx are installed when they are missing; a site
 * that cannot be installed is left out, with a line that says so.
 * @param usual names of the sites when the variable is not set. @default all
 */
export function installedSites(variable: string, usual?: readonly string[]): RealSite[] {
  if (!requireNginx()) throw new Error('nginx is missing: install the package nginx-light')
  const known = REAL_SITES.map(({ name }) => name)
  return chosenNames(variable, known, usual).flatMap((name) => {
    const site = REAL_SITES.find((one) => one.name === name)
    if (site === undefined) return []
    if (requireSite(site)) return site
    console.log(`skipped ${name}: could not install ${site.packages.join(', ')}`)
    return []
  })
}
