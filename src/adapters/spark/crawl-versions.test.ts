import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { fileUri } from './crawl-versions.ts'

it.each(['crawl/.tmp/seeds', '/a folder/100%'])('names the file %s for Hadoop by its absolute path', (path) =>
  expect(fileUri(path)).toBe(`file://${resolve(path)}`),
)
