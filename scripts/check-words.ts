/** Reports words that the project's texts and names avoid: `node scripts/check-words.ts [path…]`. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { wordProblems } from './word-problems.ts'

const root = join(import.meta.dirname, '..')
const paths = process.argv.slice(2)
const files = execFileSync('git', ['ls-files', '--', ...(paths.length > 0 ? paths : checkedPaths())], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(?:ts|tsx|md|lua|css|html)$/.test(file))
let found = 0
for (const file of files)
  for (const { line, word, instead } of wordProblems(readFileSync(join(root, file), 'utf8'))) {
    found++
    console.error(`${file}:${line}: "${word}": write ${instead}`)
  }
if (found > 0) process.exitCode = 1
else console.log(`words: ${files.length} files, no avoided words`)

function checkedPaths(): string[] {
  return [
    'src',
    'docs',
    'site',
    'web',
    'examples',
    'bench',
    'test',
    'testing',
    'README.md',
    'CONTRIBUTING.md',
  ]
}
