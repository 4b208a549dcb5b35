/** Prints the release notes of a version, its section of CHANGELOG.md: node scripts/release-notes.ts [version] */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageVersion } from '../src/base/package-version.ts'
import { releaseSection } from './changelog.ts'

const version = process.argv[2]?.replace(/^v/, '') ?? packageVersion()
const section = releaseSection(readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8'), version)
if (section === undefined) {
  console.error(`CHANGELOG.md has no section "## ${version} - <date>": add it before the release`)
  process.exitCode = 1
} else process.stdout.write(section.text)
