/** Number of drops by reason, without zeros. */
export type DropCounts = Readonly<Record<string, number>>

/** Counts drops by reason. Custom rules can produce any reason, so the number of reasons is limited; further ones count as `other`. */
export class DropCounter {
  readonly #maxReasons: number
  readonly #counts = new Map<string, number>()

  constructor(maxReasons = 100) {
    this.#maxReasons = maxReasons
  }

  add(reason: string, count = 1): void {
    const isKnown = this.#counts.has(reason) || this.#counts.size < this.#maxReasons
    const name = isKnown ? reason : 'other'
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count)
  }

  addAll(counts: DropCounts): void {
    for (const [reason, count] of Object.entries(counts)) this.add(reason, count)
  }

  counts(): DropCounts {
    return Object.fromEntries(this.#counts)
  }
}

/**
 * The reason under which the drops of a rule are counted: the text before its first colon, which names the filter or the setting.
 * `scope: b.example is not a seed host` is `scope`, `rules.txt:12 -\.gif$` is `rules.txt`.
 */
export function dropReason(rule: string): string {
  const colon = rule.indexOf(':')
  return rule.slice(0, Math.min(colon === -1 ? rule.length : colon, MAX_REASON_CHARS))
}

const MAX_REASON_CHARS = 60
