/** A part of a segment whose pages are lost because files of it cannot be read. */
export interface LostPart {
  readonly segment: string
  /** The file name, the same in each directory of the segment. */
  readonly part: string
  /** The directories whose file of this part cannot be read. */
  readonly unreadable: readonly string[]
}
