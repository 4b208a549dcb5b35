import type { Page } from './handler-page.ts'
import type { Output } from './output.ts'

/** Gets a page and hands back what it found: one output, many, or none; at once or in time. */
export type Handler<Item, Names extends string> = (page: Page<Item, Names>) => HandlerResult<Item, Names>

export type HandlerResult<Item, Names extends string> =
  | Outputs<Item, Names>
  | AsyncIterable<Output<Item, Names>>
  | Promise<Outputs<Item, Names>>

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing is typed so
type Outputs<Item, Names extends string> = void | Output<Item, Names> | Iterable<Output<Item, Names>>

/** A request that came to nothing. */
export interface RequestError<Item = unknown, Names extends string = string> {
  /** Stable: `http-404`, `network-failure`, `handler-threw`, … */
  readonly code: string
  /** For people. */
  readonly reason: string
  readonly url: string
  readonly attempts: number
  /** What was thrown, when something was. */
  readonly cause?: unknown
  /** To ask for something else instead, or to make an item of it. Its body is empty when no response came. */
  readonly page: Page<Item, Names>
}

export type ErrorHandler<Item, Names extends string> = (
  error: RequestError<Item, Names>,
) => HandlerResult<Item, Names>
