import { expect, it } from 'vitest'
import { releaseSection } from './changelog.ts'

const CHANGELOG = `# Changelog

Notable changes.

## Unreleased

- Not yet.

## 1.1.0 - 2026-02-01

### Added

- A flag.

## 1.0.0 - 2026-01-01

- The first.
`

it('finds the section of a release with its date', () => {
  expect(releaseSection(CHANGELOG, '1.1.0')).toEqual({ date: '2026-02-01', text: '### Added\n\n- A flag.\n' })
  expect(releaseSection(CHANGELOG, '1.0.0')).toEqual({ date: '2026-01-01', text: '- The first.\n' })
})

it('finds neither a version that was not released nor a part of a version', () => {
  for (const version of ['Unreleased', '2.0.0', '1.1'])
    expect(releaseSection(CHANGELOG, version)).toBeUndefined()
})
