import { describe, expect, it } from 'vitest'
import { fileExtension, isTypeAllowed } from './file-extension.ts'

describe('fileExtension', () => {
  it.each([
    ['image/jpeg', 'http://a.test/x', 'jpg'],
    ['image/jpeg', 'http://a.test/x.png', 'jpg'],
    ['application/octet-stream', 'http://a.test/data.parquet?v=1', 'parquet'],
    ['application/octet-stream', 'http://a.test/download.php', undefined],
    ['application/octet-stream', 'http://a.test/', undefined],
    ['text/plain', 'http://a.test/notes', 'txt'],
    ['text/plain', 'http://a.test/README.md', 'md'],
    ['text/plain', 'http://a.test/a.b/..', 'txt'],
    ['application/x-unknown', 'http://a.test/%2e%2e%2fetc', undefined],
  ])('of %s at %s is %s', (type, url, extension) => {
    expect(fileExtension(type, url)).toBe(extension)
  })
})

it.each([
  ['image/png', [], true],
  ['image/png', ['image/*'], true],
  ['image/png', ['IMAGE/PNG'], true],
  ['imagery/png', ['image/*'], false],
  ['text/html', ['image/*', 'application/pdf'], false],
  ['text/html', ['*/*'], true],
])('%s is among %j: %s', (type, types, expected) => {
  expect(isTypeAllowed(type, types)).toBe(expected)
})
