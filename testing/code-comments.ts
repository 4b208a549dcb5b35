import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A code of an error or an event, as the comment on its definition explains it. */
export interface CodeComment {
  readonly code: string
  readonly cause: string
  /** Empty if the comment has none. */
  readonly remedy: string
  /** The class of the error; `undefined` for a code of a list. */
  readonly className: string | undefined
}

/**
 * The comments on the definitions of all codes in src/. A definition is a class that extends `CrawlError`, an entry of a list or a union
 * of codes, or an entry of `EVENTS`. The text after `Remedy:` is the remedy; further paragraphs are for maintainers.
 */
export function codeComments(root: string): CodeComment[] {
  const comments: CodeComment[] = []
  for (const file of sourcesOf(root)) {
    for (const [, comment = '', className, ...codes] of readFileSync(file, 'utf8').matchAll(DEFINITION)) {
      const [text = ''] = plainText(comment).split('\n\n')
      const [cause = '', remedy = ''] = text.replaceAll('\n', ' ').split(/\s*Remedy: /)
      comments.push({ code: codes.find((code) => code !== undefined) ?? '', cause, remedy, className })
    }
  }
  return comments
}

/** The codes of all classes that extend `CrawlError`, without regard to comments. */
export function errorCodes(root: string): string[] {
  const codes = new Set<string>()
  for (const file of sourcesOf(root))
    for (const [, code = ''] of readFileSync(file, 'utf8').matchAll(
      /extends CrawlError \{\s+readonly code(?:: \w+)? = '([A-Z_]+)'/g,
    ))
      codes.add(code)
  return [...codes]
}

function sourcesOf(root: string): string[] {
  return globSync('src/**/*.ts', { cwd: root })
    .filter((name) => !name.endsWith('.test.ts'))
    .sort()
    .map((name) => join(root, name))
}

const DEFINITION = new RegExp(
  [
    String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/\s+`,
    '(?:',
    String.raw`(?:export )?class (\w+) extends CrawlError \{\s+readonly code(?:: \w+)? = '([A-Z_]+)'`,
    String.raw`|(?:\| )?'([A-Z][A-Z_]+)'`,
    String.raw`|([A-Z][A-Z_]+): \['`,
    ')',
  ].join(''),
  'g',
)

function plainText(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.trim().replace(/^\* ?/, ''))
    .join('\n')
    .trim()
}
