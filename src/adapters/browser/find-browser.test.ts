import { expect, it } from 'vitest'
import { findBrowser } from './find-browser.ts'

const having =
  (...files: readonly string[]) =>
  (file: string) =>
    files.includes(file)

it('finds Chromium before Chrome, in the order of the PATH', () => {
  const isThere = having('/b/chromium', '/a/google-chrome', '/a/chromium')
  expect(findBrowser('chromium', '/a:/b', isThere)).toBe('/a/chromium')
  expect(findBrowser('chromium', '/b', isThere)).toBe('/b/chromium')
  expect(findBrowser('chromium', '/a', having('/a/google-chrome'))).toBe('/a/google-chrome')
})

it('finds a browser in a usual place', () => {
  expect(findBrowser('chromium', '', having('/snap/bin/chromium'))).toBe('/snap/bin/chromium')
})

it('finds none', () => {
  expect(findBrowser('chromium', '/a', having())).toBeUndefined()
  expect(findBrowser('firefox', '/a', having('/a/firefox'))).toBeUndefined()
})
