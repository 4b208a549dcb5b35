import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type ConfigKey, configKeys } from './config-keys.ts'

const PAGE = new URL('../../../docs/configuration.md', import.meta.url)
const GENERATED = /(?<=<!-- keys: generated -->\n)[\s\S]*(?=<!-- keys: end -->)/

// After a change of the schema, `npx vitest run --project unit src/adapters/config -u` updates the page.
it('matches the reference in docs/configuration.md', async () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page).toMatch(GENERATED)
  await expect(page.replace(GENERATED, () => `\n${configReference()}\n`)).toMatchFileSnapshot(PAGE.pathname)
})

it('has a description for every key', () => {
  const undescribed = configKeys().filter(
    ({ description, path }) => description === '' && !DESCRIBED_ELSEWHERE.test(path),
  )
  expect(undescribed.map(({ path }) => path)).toEqual([])
})

/** Parts of a value that the description of the value covers. */
const DESCRIBED_ELSEWHERE =
  /^(?:http\.proxy\..*|schedule\.kind|schedule\.hosts\..*|scoring\.(?:opic|link|depth))$/

/** Every key as Markdown: a heading and a table per section. */
function configReference(): string {
  const keys = configKeys()
  const sections = keys.filter(({ path }) => !path.includes('.'))
  return sections.map((section) => sectionText(section, keys)).join('\n')
}

function sectionText(section: ConfigKey, keys: readonly ConfigKey[]): string {
  const inner = keys.filter(({ path }) => path.startsWith(`${section.path}.`))
  const head = `### \`${section.path}\`\n${section.isSection ? `\n${section.description}\n` : ''}`
  const rows = (section.isSection ? inner : [section, ...inner]).filter(hasRow)
  return `${head}\n| key | type | default | description |\n| --- | --- | --- | --- |\n${rows.map(rowText).join('\n')}\n`
}

/** Keys of single hosts and parts of a value are described with the whole. */
function hasRow({ isSection, description, path }: ConfigKey): boolean {
  return !isSection && description !== '' && !path.includes('*')
}

function rowText({ path, type, default: standard, description }: ConfigKey): string {
  const value = standard === undefined ? '' : `\`${JSON.stringify(standard)}\``
  return `| ${[`\`${path}\``, type, value, description].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
