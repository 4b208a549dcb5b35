import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')

it('names only files that exist in docs/architecture.md', () => {
  const files = Array.from(
    page.matchAll(/`((?:src|bench|scripts|test|testing)\/[\w./-]+\.\w+)`/g),
    ([, file = '']) => file,
  )
  expect(files.length).toBeGreaterThan(40)
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

it.each(['crawl', 'run --redis'])(
  'names each file once in the walk of a URL in %s, or says why again',
  (command) => {
    const [, section = ''] = page.split(`## A URL in \`orbweaver ${command}\``)
    const walk = section.slice(section.indexOf('\n1. '))
    const steps = walk.slice(0, walk.search(/\n\n(?![1-9]|\s)/)).replaceAll(/`([^`]+)` \(again: [^)]+\)/g, '')
    const files = Array.from(steps.matchAll(/`(src\/[^`]+)`/g), ([, file]) => file)
    expect(files.length).toBeGreaterThan(10)
    expect(files).toEqual([...new Set(files)])
  },
)
