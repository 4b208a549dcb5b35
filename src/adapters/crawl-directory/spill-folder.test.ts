import { hostname } from 'node:os'
import { expect, it } from 'vitest'
import { spillFolder } from './spill-folder.ts'

it('gives each database a folder of its own', () => {
  expect(spillFolder('crawl')).toMatch(
    new RegExp(`^crawl/\\.segments-tmp-${process.pid}-\\d+@${hostname()}$`),
  )
  expect(spillFolder('crawl')).not.toBe(spillFolder('crawl'))
})
