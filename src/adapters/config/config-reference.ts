import { type ConfigKey, configKeys } from './config-keys.ts'

/** Every key as Markdown: a heading and a table for each section. The part of docs/configuration.md that is generated. */
export function configReference(): string {
  const keys = configKeys()
  const sections = keys.filter(({ path }) => !path.includes('.'))
  return sections.map((section) => sectionText(section, keys)).join('\n')
}

function sectionText(section: ConfigKey, keys: readonly ConfigKey[]): string {
  const inner = keys.filter(({ path }) => path.startsWith(`${section.path}.`))
  const head = `### \`${section.path}\`\n${section.isSection ? `\n${section.description}\n` : ''}`
  const rows = (section.isSection ? inner : [section, ...inner]).filter(hasRow)
  return `${head}\n| key | holds | default | |\n| --- | --- | --- | --- |\n${rows.map(rowText).join('\n')}\n`
}

/** The parts of a value, and what is set for single hosts, are told where the whole is. */
function hasRow({ isSection, description, path }: ConfigKey): boolean {
  return !isSection && description !== '' && !path.includes('*')
}

function rowText({ path, type, standard, description }: ConfigKey): string {
  const value = standard === undefined ? '' : `\`${JSON.stringify(standard)}\``
  return `| ${[`\`${path}\``, type, value, description].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
