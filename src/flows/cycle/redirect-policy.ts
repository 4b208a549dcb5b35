import { dropReason } from '../../base/drop-counts.ts'
import { printable } from '../../base/printable.ts'
import type { ParseRules } from '../../domain/parse/parse-rules.ts'
import type { RedirectVerdict } from '../../domain/segment/fetch-row.ts'
import type { FetchTask } from './fetch-task.ts'

export interface RedirectPolicyOptions {
  /** Hops followed in a row; 0: each target waits for a later round. */
  readonly redirectMax: number
  /** Whether a URL is being fetched, or was fetched, in this run. */
  readonly isInRun: (url: string) => boolean
  /** `false` if the CrawlDb has the URL as fetched and not due, or on another fetch list. */
  readonly shouldFollow: (url: string) => boolean | Promise<boolean>
}

/** Decides whether redirects, by header or by meta refresh, are followed. The rules for links apply. */
export class RedirectPolicy {
  readonly #rules: ParseRules
  readonly #options: RedirectPolicyOptions

  constructor(rules: ParseRules, options: RedirectPolicyOptions) {
    this.#rules = rules
    this.#options = options
  }

  /** @param target absolute, as the server wrote it */
  async judge(task: FetchTask, target: string): Promise<RedirectVerdict> {
    const shown = printable(target)
    const normalized = this.#rules.reading.normalize(target, task.url)
    if (!normalized.ok)
      return { kind: 'drop', why: `redirects to ${shown}: ${normalized.detail}`, dropReason: 'invalid URL' }
    const { url } = normalized
    if (url === task.url) return { kind: 'circle', why: 'redirects to itself' }
    if (task.chain.includes(url)) return { kind: 'circle', why: `redirects in a circle, back to ${shown}` }
    const verdict = this.#rules.links.redirectsOf(task.url)(url)
    if (!verdict.kept)
      return {
        kind: 'drop',
        why: `redirects to ${shown}: ${verdict.rule}`,
        dropReason: dropReason(verdict.rule),
      }

    const later = (why: string) => ({ kind: 'link', url, why: `redirects to ${shown}: ${why}` }) as const
    const { redirectMax, isInRun, shouldFollow } = this.#options
    if (task.chain.length >= redirectMax) return later(`more than ${redirectMax} redirects in a row`)
    if (isInRun(url)) return later('it is in this run already')
    if (!(await shouldFollow(url))) return later('it is fetched already, or on a fetch list')
    // Checked again: another redirect may have led there meanwhile.
    return isInRun(url) ? later('it is in this run already') : { kind: 'follow', url }
  }
}
