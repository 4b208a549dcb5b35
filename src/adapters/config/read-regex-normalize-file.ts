import { ConfigurationError } from '../../base/crawl-error.ts'
import { XmlTokenizer } from '../../domain/content/xml-tokenizer.ts'
import type { PatternReplacement } from '../../domain/url/pattern-rewrite.ts'
import { readRuleFile } from './read-rule-file.ts'

/**
 * The rules of a regex-normalize.xml, as Nutch has it: `<regex><pattern>…</pattern><substitution>…</substitution></regex>`.
 * @throws ConfigurationError if the file cannot be read, or a rule has no pattern
 */
export function readRegexNormalizeFile(file: string): PatternReplacement[] {
  const rules: PatternReplacement[] = []
  let pattern = ''
  let replacement = ''
  let element = ''
  const reader = new XmlTokenizer({
    open(name) {
      element = name
      if (name === 'regex') pattern = replacement = ''
    },
    text(text) {
      if (element === 'pattern') pattern += text
      else if (element === 'substitution') replacement += text
    },
    close(name) {
      element = ''
      if (name !== 'regex') return
      if (pattern.trim() === '')
        throw new ConfigurationError('RULE_INVALID', `${file}: rule ${rules.length + 1} has no <pattern>`)
      rules.push({ pattern: pattern.trim(), replacement: replacement.trim() })
    },
  })
  reader.push(readRuleFile(file))
  reader.end()
  if (rules.length === 0)
    throw new ConfigurationError(
      'RULE_INVALID',
      `${file}: no rules found; expected <regex><pattern>…</pattern><substitution>…</substitution></regex>`,
    )
  return rules
}
