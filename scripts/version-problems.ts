import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { releaseSection } from './changelog.ts'

/** Places that name the version, and how they do. */
const PLACES: ReadonlyArray<readonly [file: string, pattern: RegExp]> = [
  ['package-lock.json', /^ {2}"version": "([^"]+)"/gm],
  ['package-lock.json', /^ {4}"": \{\n {6}"name": "orbweaver",\n {6}"version": "([^"]+)"/gm],
  ['CITATION.cff', /^version: (\S+)$/gm],
  ['deploy/README.md', /registry\.example\.org\/orbweaver:(\S+)/g],
  ['deploy/kubernetes/kustomization.yaml', /newTag: "?([^"\s]+)/g],
  ['man/orbweaver.1', /"Orbweaver (\S+)"/g],
]

/** Where files of the repository do not agree with the version in package.json, or the changelog has no section for it. */
export function versionProblems(root: string, tag?: string): string[] {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const { version } = JSON.parse(read('package.json')) as { readonly version: string }
  const problems: string[] = []
  if (tag !== undefined && tag !== `v${version}`)
    problems.push(`the tag is ${tag}, but package.json has version ${version}`)
  for (const [file, pattern] of PLACES) {
    const found = Array.from(read(file).matchAll(pattern), ([, named = '']) => named)
    if (found.length === 0) problems.push(`${file} does not name the version: ${pattern.source}`)
    for (const named of found)
      if (named !== version) problems.push(`${file} has ${named} instead of ${version}`)
  }
  const minor = version.replace(/\.\d+$/, '')
  if (!read('README.md').includes(`Version ${minor} `))
    problems.push(`README.md does not say Version ${minor}`)
  const section = releaseSection(read('CHANGELOG.md'), version)
  if (section === undefined) problems.push(`CHANGELOG.md has no section "## ${version} - <date>"`)
  else if (!read('CITATION.cff').includes(`\ndate-released: ${section.date}\n`))
    problems.push(`CITATION.cff does not have the date of the release, ${section.date}`)
  return problems
}
