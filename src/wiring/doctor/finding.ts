/** The result of one check of `doctor`. */
export interface Finding {
  /** The name of the check: `disk`, `robots.txt`. */
  readonly check: string
  readonly state: 'ok' | 'warning' | 'problem'
  /** What was found, with the values. */
  readonly message: string
  /** What to do. Present unless `state` is `ok`. */
  readonly remedy?: string
}

export function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message }
}

/** Works now, but may cause trouble. */
export function warning(check: string, message: string, remedy: string): Finding {
  return { check, state: 'warning', message, remedy }
}

/** A crawl cannot run, or loses something. */
export function problem(check: string, message: string, remedy: string): Finding {
  return { check, state: 'problem', message, remedy }
}
