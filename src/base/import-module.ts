/**
 * `import()` for the files of the built program. They are run as scripts (`src/base/program-loader.ts`), for which Node.js offers it only as an
 * experimental feature; Node.js itself loads this file. The build calls it (`scripts/late-imports.ts`).
 */
export function importModule(specifier: string): Promise<unknown> {
  return import(specifier)
}
