import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

interface LockedPackage {
  readonly optional?: boolean
  readonly engines?: unknown
}

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/**
 * npm leaves out an optional package if its `engines` do not match the Node.js that npm runs on, and the bundler needs one. The build
 * runs on the Node.js that the project installs, so that they do not matter. Delete them from package-lock.json; `npm install` does
 * not add them again.
 */
it('has no engines of optional packages, so that npm ci works on older versions of Node.js', () => {
  const optional = Object.entries(packages).filter(([, { optional = false }]) => optional)
  expect(optional.map(([path]) => path)).toContain('node_modules/@rolldown/binding-linux-x64-gnu')
  expect(optional.filter(([, { engines }]) => engines !== undefined).map(([path]) => path)).toEqual([])
})
