import type { Drop } from './drop.ts'

/** What items pass through on their way to the exports, one after the other. */
export interface Pipeline<Item> {
  /** For messages and counts. @default its place in the list */
  readonly name?: string
  open?(): void | Promise<void>
  /** The item, changed or not, for the next one; or `drop('why')`. */
  process(item: Item, page: ItemSource): Item | Drop | Promise<Item | Drop>
  close?(): void | Promise<void>
}

/** The page an item came from. */
export interface ItemSource {
  readonly url: string
  readonly depth: number
}
