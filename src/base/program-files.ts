/**
 * Files of this program, by their path in the sources. A URL that is relative to the module that uses the file would be wrong in the
 * built package, where many modules are one file. This module is in `src/base/`, or in a file of `dist/chunks/`: both have the
 * package two levels above them.
 */
const PROGRAM = new URL('../', import.meta.url)

const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

/** The folder of the package: package.json, `schemas/`, `dist/`. */
export const PACKAGE_FOLDER = new URL('../', PROGRAM)

/** A file of `src/` that is not a module, which the build copies. */
export function programFile(path: string): URL {
  return new URL(path, PROGRAM)
}

/** A module that is loaded by its file, such as the code of a thread. Each is an entry of the bundle (`scripts/bundle.config.ts`). */
export function programModule(path: string): URL {
  return programFile(path + EXTENSION)
}
