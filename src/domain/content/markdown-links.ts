import type { FoundLink } from './page-links.ts'
import { plainTextLinks } from './plain-text-links.ts'

/** Longest link text and target looked for: they bound the time for hostile texts. */
const MAX_ANCHOR_CHARS = 500
const MAX_TARGET_CHARS = 2_000
/** Brackets within brackets, as other readers of Markdown limit them. */
const MAX_NESTING = 32

/** Whether the links of a text are those of Markdown: it is declared as Markdown, or it is an llms.txt. */
export function isMarkdown(url: string, type: string): boolean {
  return type === 'text/markdown' || isLlmsTxt(url)
}

/** `llms.txt` and `llms-full.txt`, in any folder (llmstxt.org). */
export function isLlmsTxt(url: string): boolean {
  return /^[^?#]*\/llms(?:-full)?\.txt(?:[?#]|$)/i.test(url)
}

/**
 * The links of a Markdown text, in order: `[text](target "title")`, definitions of references, and bare URLs. Images and code are skipped.
 * Targets are as written, also relative. Linear time, for any text.
 */
export function markdownLinks(text: string): FoundLink[] {
  const found: FoundLink[] = []
  let fence: string | undefined
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
    } else if (mark !== undefined) fence = mark
    else collectLine(withoutCode(line), found)
  }
  return found
}

function collectLine(line: string, found: FoundLink[]): void {
  const [, definition] = /^ {0,3}\[[^\]]{1,999}\]:\s*<?([^\s<>]+)/.exec(line) ?? []
  if (definition !== undefined) found.push(link(definition, ''))
  let from = 0
  for (;;) {
    const middle = line.indexOf('](', from)
    if (middle < 0) break
    from = middle + 2
    const start = openingBracket(line, middle)
    const target = targetAt(line, from)
    if (start < 0 || target === undefined) continue
    const anchor = line.slice(start + 1, middle)
    if (line[start - 1] !== '!') found.push(link(target, plainAnchor(anchor)))
  }
  for (const href of plainTextLinks(line)) found.push(link(href, ''))
}

function link(href: string, anchor: string): FoundLink {
  return { href, anchor, rel: [], kind: 'text' }
}

/** The bracket that opens the link text, or -1. Nested brackets, as of an image in a link, are skipped. */
function openingBracket(line: string, middle: number): number {
  let depth = 0
  for (let at = middle - 1; at >= 0 && middle - at <= MAX_ANCHOR_CHARS; at--) {
    const char = line[at]
    if (char === ']' && ++depth > MAX_NESTING) return -1
    if (char === '[' && depth === 0) return at
    if (char === '[') depth--
  }
  return -1
}

/** The target that starts here; `undefined` if it is empty or has no end. Its brackets are balanced. */
function targetAt(line: string, start: number): string | undefined {
  let at = start
  while (line[at] === ' ') at++
  if (line[at] === '<') {
    const [, target] = /^<([^<>]*)>/.exec(line.slice(at, at + MAX_TARGET_CHARS)) ?? []
    return target?.trim() || undefined
  }
  let depth = 0
  for (let end = at; end < line.length && end - at <= MAX_TARGET_CHARS; end++) {
    const char = line.charAt(end)
    if (char === '(' && ++depth > MAX_NESTING) return undefined
    if (char === ')' && depth > 0) depth--
    else if (char === ')' || char <= ' ') return end === at ? undefined : line.slice(at, end)
  }
  return undefined
}

/** Without the marks of emphasis and the target of an image. */
function plainAnchor(text: string): string {
  return text
    .replace(/^!?\[|\]\([^)]*\)$/g, '')
    .replace(/[*`\\]/g, '')
    .trim()
}

/** Replaces code spans by spaces. */
function withoutCode(line: string): string {
  return line.includes('`') ? line.replace(/(`+)[^`]*\1/g, ' ') : line
}
