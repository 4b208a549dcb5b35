import { readFileSync } from 'node:fs'
import { ConfigurationError } from '../../base/crawl-error.ts'

/**
 * The text of a file that a setting names.
 * @throws ConfigurationError if it cannot be read
 */
export function readRuleFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigurationError('RULE_INVALID', `${file}: cannot read the rule file (${code})`, { cause })
  }
}
