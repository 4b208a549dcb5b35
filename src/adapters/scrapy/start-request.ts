import type { Json, JsonObject } from '../../base/json.ts'

/** A start request as plain data: what a spider's request is made of. */
export interface StartRequest {
  /** Absolute, not normalised. */
  readonly href: string
  readonly options: StartOptions
}

/** As the spider's request options have them. */
export interface StartOptions {
  readonly handler?: string
  readonly method?: string
  /** Lower-case names; values that can be sent. */
  readonly headers?: Readonly<Record<string, string>>
  /** At most one of `body`, `json` and `form`. */
  readonly body?: string
  readonly json?: Json
  readonly form?: Readonly<Record<string, string | number | readonly string[]>>
  readonly cookies?: Readonly<Record<string, string>>
  readonly priority?: number
  readonly meta?: JsonObject
  readonly dontFilter: boolean
}

export type StartReading =
  | { readonly ok: true; readonly start: StartRequest }
  | { readonly ok: false; readonly reason: string }
