import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageVersion } from '../src/base/package-version.ts'
import { versionProblems } from './version-problems.ts'

const ROOT = join(import.meta.dirname, '..')
const VERSION = packageVersion()

it('finds no problem in this repository', () => {
  expect(versionProblems(ROOT, `v${VERSION}`)).toEqual([])
})

describe('in a copy of its files', () => {
  const FILES = [
    ...['package.json', 'package-lock.json', 'CITATION.cff', 'README.md', 'CHANGELOG.md', 'man/orbweaver.1'],
    ...['deploy/README.md', 'deploy/kubernetes/kustomization.yaml'],
  ]
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'orbweaver-version-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function problemsAfter(file: string, change: (text: string) => string, tag?: string): string[] {
    for (const name of FILES) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
    writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')))
    return versionProblems(folder, tag)
  }

  it('finds another version in each file, and another tag', () => {
    const problems = problemsAfter('package.json', (text) => text.replace(VERSION, '9.8.7'), `v${VERSION}`)
    expect(problems).toEqual([
      `the tag is v${VERSION}, but package.json has version 9.8.7`,
      ...[
        'package-lock.json',
        'package-lock.json',
        'CITATION.cff',
        'deploy/README.md',
        'deploy/README.md',
      ].map((file) => `${file} has ${VERSION} instead of 9.8.7`),
      `deploy/kubernetes/kustomization.yaml has ${VERSION} instead of 9.8.7`,
      `man/orbweaver.1 has ${VERSION} instead of 9.8.7`,
      'README.md does not say Version 9.8',
      'CHANGELOG.md has no section "## 9.8.7 - <date>"',
    ])
  })

  it('finds a file that does not name the version, and another date', () => {
    expect(problemsAfter('man/orbweaver.1', () => '')).toEqual([
      expect.stringContaining('man/orbweaver.1 does not name the version'),
    ])
    expect(problemsAfter('CITATION.cff', (text) => text.replace(/(?<=released: )\S+/, '2000-01-01'))).toEqual(
      [expect.stringContaining('CITATION.cff does not have the date of the release')],
    )
  })
})
