import type { RE2JS } from 're2js'
import { LruMap } from '../../base/lru-map.ts'
import { linearMatcher } from '../url/linear-pattern.ts'
import { BadSelector } from './selector-errors.ts'

/** A regular expression, or its source in RE2's syntax, which takes linear time whatever the page holds. */
export type TextPattern = RegExp | string

/**
 * Everything in `text` that a pattern finds: its groups where it has any, else the whole of each match.
 * @throws BadSelector for a source that is not a pattern
 */
export function findAll(pattern: TextPattern, text: string): string[] {
  if (typeof pattern === 'string') return findLinear(compiled(pattern), text)
  const everywhere = pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`)
  return [...text.matchAll(everywhere)].flatMap(([whole, ...groups]) =>
    groups.length === 0 ? [whole] : groups.map((group) => group ?? ''),
  )
}

/** @throws BadSelector for a source that is not a pattern */
export function isFound(source: string, text: string): boolean {
  return compiled(source).matcher(text).find()
}

function findLinear(pattern: RE2JS, text: string): string[] {
  const found: string[] = []
  const matcher = pattern.matcher(text)
  const groups = matcher.groupCount()
  while (matcher.find()) {
    if (groups === 0) found.push(matcher.group() ?? '')
    for (let group = 1; group <= groups; group++) found.push(matcher.group(group) ?? '')
  }
  return found
}

const cache = new LruMap<string, RE2JS>(100)

function compiled(source: string): RE2JS {
  const known = cache.get(source)
  if (known !== undefined) return known
  try {
    const pattern = linearMatcher().compile(source)
    cache.set(source, pattern)
    return pattern
  } catch (error) {
    throw new BadSelector('pattern', source, error instanceof Error ? error.message : String(error), error)
  }
}
