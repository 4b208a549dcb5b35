import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { configKeys } from './config-keys.ts'
import { configReference } from './config-reference.ts'

const PAGE = new URL('../../../docs/configuration.md', import.meta.url)
const GENERATED = /(?<=<!-- keys: generated -->\n)[\s\S]*(?=<!-- keys: end -->)/

// Run vitest with -u after a change of the schema: it writes the page anew.
it('stands in docs/configuration.md as the schema has it', async () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page).toMatch(GENERATED)
  await expect(page.replace(GENERATED, () => `\n${configReference()}\n`)).toMatchFileSnapshot(PAGE.pathname)
})

it('tells what every key does', () => {
  const silent = configKeys().filter(
    ({ description, path }) => description === '' && !TOLD_ELSEWHERE.test(path),
  )
  expect(silent.map(({ path }) => path)).toEqual([])
})

/** The parts of values whose own description names them. */
const TOLD_ELSEWHERE = /^(?:http\.proxy\..*|schedule\.kind|schedule\.hosts\..*|scoring\.(?:opic|depth))$/
