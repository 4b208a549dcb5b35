/**
 * The layer picture of docs/architecture.md as data. A file may import from its own folder and from the folders that
 * its own folder's line names; `check-layers.ts` proves it, types included.
 *
 * The domain folders are ordered: each may use the ones before it. That keeps them free of cycles by construction.
 */
const DOMAIN = ['url', 'fetch', 'robots', 'html', 'page', 'politeness']
const ADAPTERS = ['http']
const BELOW_CLI = ['base', ...DOMAIN, ...ADAPTERS]

export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  ...Object.fromEntries(DOMAIN.map((folder, i) => [folder, ['base', ...DOMAIN.slice(0, i)]])),
  ...Object.fromEntries(ADAPTERS.map((folder) => [folder, ['base', ...DOMAIN]])),
  cli: BELOW_CLI,
  // The files directly in src/: the public doors, lists of names and nothing else.
  '.': BELOW_CLI,
}
