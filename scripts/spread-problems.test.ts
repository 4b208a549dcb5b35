import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { spreadProblems } from './spread-problems.ts'

describe('spreadProblems', () => {
  it.each([
    'list.push(...more)',
    'list.push(\n  first,\n  ...more,\n)',
    'Math.max(0, ...widths.map((width) => width + 1))',
    'String.fromCharCode(...points)',
    'all.concat(...lists)',
  ])('finds %j', (source) => {
    expect(spreadProblems('a.ts', `const a = 1\n${source}`)).toEqual([2])
  })

  it.each([
    '// list.push(...more)',
    'list.push({ ...more })',
    'list.push([...more])',
    'list.push(more)\nf(...args)',
    'Math.max(a, f([...b]))',
  ])('accepts %j', (source) => {
    expect(spreadProblems('a.ts', source)).toEqual([])
  })
})

it('no list is spread into arguments in src/', () => {
  const files = globSync('src/**/*.ts', { exclude: ['src/**/*.test.ts'] })
  expect(files.length).toBeGreaterThan(300)
  const problems = files.flatMap((file) =>
    spreadProblems(file, readFileSync(file, 'utf8')).map(
      (line) => `${file}:${line}: use appendAll, a loop or reduce instead of a spread`,
    ),
  )
  expect(problems).toEqual([])
})
