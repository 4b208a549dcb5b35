/** Checks that all files agree on the version before a release: node scripts/check-release.ts [tag] */
import { join } from 'node:path'
import { versionProblems } from './version-problems.ts'

const problems = versionProblems(join(import.meta.dirname, '..'), process.argv[2])
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
