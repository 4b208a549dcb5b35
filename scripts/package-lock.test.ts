import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

interface LockedPackage {
  readonly optional?: boolean
  readonly engines?: unknown
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

function packagesOf(folder: string): ReadonlyMap<string, LockedPackage> {
  const file = join(import.meta.dirname, '..', folder, 'package-lock.json')
  return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages))
}

/**
 * npm leaves out an optional package if its `engines` do not match the Node.js that npm runs on, and the bundler needs one. The build
 * runs on the Node.js that the project installs, so that they do not matter. Delete them from package-lock.json; `npm install` does
 * not add them again.
 */
it('has no engines of optional packages, so that npm ci works on older versions of Node.js', () => {
  const optional = [...packagesOf('.')].filter(([, { optional = false }]) => optional)
  expect(optional.map(([path]) => path)).toContain('node_modules/@rolldown/binding-linux-x64-gnu')
  expect(optional.filter(([, { engines }]) => engines !== undefined).map(([path]) => path)).toEqual([])
})

/** `npm ci` fails if one is missing. npm leaves out those of other platforms that its registry does not have. */
it.each(['.', 'bench', 'site'])('of %s has the packages of all platforms', (folder) => {
  const packages = packagesOf(folder)
  const needed = [...packages].flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => ({ path, name })),
  )
  const missing = needed.filter(
    ({ path, name }) =>
      !packages.has(`node_modules/${name}`) && !packages.has(`${path}/node_modules/${name}`),
  )
  expect(missing).toEqual([])
})
