import { expect, it } from 'vitest'
import { configKeys } from './config-keys.ts'

// src/cli/config-reference.test.ts makes docs/configuration.md of the keys.
it('has a description for every key', () => {
  const undescribed = configKeys().filter(
    ({ description, path }) => description === '' && !DESCRIBED_ELSEWHERE.test(path),
  )
  expect(undescribed.map(({ path }) => path)).toEqual([])
})

/** Parts of a value that the description of the value covers. */
const DESCRIBED_ELSEWHERE =
  /^(?:http\.proxy\..*|schedule\.kind|schedule\.hosts\..*|scoring\.(?:opic|link|depth))$/
