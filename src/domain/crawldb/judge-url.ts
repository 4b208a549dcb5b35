/** What became of a URL: its normal form, or why it is not wanted. */
export type JudgedUrl =
  | { readonly ok: true; readonly url: string }
  | {
      readonly ok: false
      /** A few words that are the same for all URLs rejected alike, to count by. */
      readonly reason: string
      /** What decided about this one. */
      readonly detail: string
    }

/** Normalises and filters one URL. It must not throw. */
export type JudgeUrl = (url: string) => JudgedUrl
