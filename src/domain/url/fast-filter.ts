import { ConfigurationError } from '../../base/crawl-error.ts'
import type { CandidateUrl } from './candidate-url.ts'
import { compileLinear, type LinearPattern } from './linear-pattern.ts'
import { textLines } from './rule-file.ts'
import type { FilterVerdict, UrlFilter } from './url-filter.ts'

/**
 * A filter from the text of a file in the format of Nutch's urlfilter-fast. It rejects only. The number of hosts and domains in it does not
 * matter: a URL is compared with the rules of its host and of the domains above it.
 *
 *     Host www.example.com
 *       DenyPath ^/private/
 *     Domain example.org
 *       DenyPathQuery [?&]print=1
 *     Domain .
 *       DenyPath \.cgi$
 *
 * `Domain .` stands for all hosts, and `.*` for every path.
 *
 * @param file its name, for verdicts and messages
 * @throws ConfigurationError for the first line that cannot be used
 * @example
 * const filter = parseFastFilter('Domain example.org\n  DenyPath ^/private/', 'fast-urlfilter.txt')
 * filter.judge(new CandidateUrl('https://example.org/private/a'))?.accepted // → false
 */
export function parseFastFilter(text: string, file: string): UrlFilter {
  const { hosts, domains } = parseBlocks(text, file)
  const deniedBy = (block: string, rules: readonly DenyRule[] | undefined, url: CandidateUrl) => {
    const rule = rules?.find(({ pattern, part }) => pattern === undefined || pattern.test(url[part]))
    return rule && rejection(`${file}: ${block}: ${rule.text}`)
  }
  return {
    name: file,
    urlOnly: true,
    judge(url) {
      const { host } = url
      const own = deniedBy(`Host ${host}`, hosts.get(host), url)
      if (own !== undefined) return own
      for (let start = 0; start < host.length; start = nextLabel(host, start)) {
        const domain = host.slice(start)
        const verdict = deniedBy(`Domain ${domain}`, domains.get(domain), url)
        if (verdict !== undefined) return verdict
      }
      return deniedBy('Domain .', domains.get(ALL_HOSTS), url)
    },
  }
}

const ALL_HOSTS = '.'

function nextLabel(host: string, start: number): number {
  const dot = host.indexOf('.', start)
  return dot === -1 ? host.length : dot + 1
}

function rejection(rule: string): FilterVerdict {
  return { accepted: false, rule }
}

interface DenyRule {
  /** Absent: every URL. */
  readonly pattern?: LinearPattern
  readonly part: 'path' | 'pathAndQuery'
  /** The line of the file. */
  readonly text: string
}

type RulesByName = Map<string, readonly DenyRule[]>

function parseBlocks(text: string, file: string): { hosts: RulesByName; domains: RulesByName } {
  const hosts: RulesByName = new Map()
  const domains: RulesByName = new Map()
  // Long files repeat a few rules: names with the same one share it.
  const lists = new Map<string, readonly [DenyRule]>()
  let block: { readonly rules: RulesByName; readonly name: string } | undefined
  for (const { number, text: line } of textLines(text)) {
    const where = `${file}:${number}`
    const [, keyword = '', argument = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? []
    if (argument !== '' && (keyword === 'Host' || keyword === 'Domain')) {
      block = { rules: keyword === 'Host' ? hosts : domains, name: argument.toLowerCase() }
      continue
    }
    const part = PARTS[keyword]
    if (argument === '' || part === undefined)
      throw new ConfigurationError('RULE_INVALID', `${where}: ${EXPECTED}; found '${line}'`)
    if (block === undefined)
      throw new ConfigurationError(
        'RULE_INVALID',
        `${where}: ${keyword} needs a Host or Domain line before it`,
      )
    const list = lists.get(line) ?? [denyRule(part, argument, line, where)]
    lists.set(line, list)
    const before = block.rules.get(block.name)
    block.rules.set(block.name, before === undefined ? list : [...before, ...list])
  }
  return { hosts, domains }
}

function denyRule(part: DenyRule['part'], pattern: string, text: string, where: string): DenyRule {
  return pattern === '.*' ? { part, text } : { part, text, pattern: compileLinear(pattern, where) }
}

const PARTS: Readonly<Record<string, DenyRule['part']>> = { DenyPath: 'path', DenyPathQuery: 'pathAndQuery' }
const EXPECTED = 'expected Host <name>, Domain <name>, DenyPath <regex> or DenyPathQuery <regex>'
