import type { DatabaseSync } from 'node:sqlite'
import { searchWords } from '../../domain/search/search-words.ts'
import { prepareWrite } from './prepare-write.ts'
import type { Synonyms } from './query-expansion.ts'

/** Words and phrases with the same meaning: `['js', 'javascript']`. */
export type SynonymGroups = readonly (readonly string[])[]

/** Stores the synonyms in the index, so that every search of it knows them. */
export function writeSynonyms(db: DatabaseSync, groups: SynonymGroups): void {
  const text = JSON.stringify(groups)
  // Node.js 22 does not bind numbered parameters.
  prepareWrite(
    db,
    `INSERT OR REPLACE INTO meta SELECT 'synonyms', ? WHERE ? IS NOT (SELECT value FROM meta WHERE key = 'synonyms')`,
  ).run(text, text)
}

export function readSynonyms(db: DatabaseSync): Synonyms {
  const { value } = db.prepare(`SELECT value FROM meta WHERE key = 'synonyms'`).get() ?? {}
  return synonymsOf(typeof value === 'string' ? (JSON.parse(value) as SynonymGroups) : [])
}

/** A group is a set: each of its phrases stands for all others. */
export function synonymsOf(groups: SynonymGroups): Synonyms {
  const synonyms = new Map<string, (readonly string[])[]>()
  for (const group of groups) {
    const phrases = group.map(searchWords).filter((words) => words.length > 0)
    for (const phrase of phrases) {
      const key = phrase.join(' ')
      const others = phrases.filter((other) => other.join(' ') !== key)
      synonyms.set(key, [...(synonyms.get(key) ?? []), ...others])
    }
  }
  return synonyms
}
