import type { SegmentDirectory } from './segment-columns.ts'

/** A file of a segment that cannot be read. */
export interface UnreadableFile {
  readonly segment: string
  readonly directory: SegmentDirectory
  /** The file name, the same in each directory of the segment. */
  readonly part: string
  /** The whole path. */
  readonly file: string
  readonly reason: string
}

export interface FileCheck {
  readonly file: string
  /** Absent when every row was read. */
  readonly damage?: UnreadableFile
}

/** Finds damaged segment files and moves them aside. */
export interface SegmentInspector {
  /** Reads every committed file of every segment to its end, oldest segment first. */
  checkFiles(): AsyncIterable<FileCheck>
  /**
   * Moves all files of these parts into a new folder of the crawl directory; readable files go with the unreadable ones, so that a page stays whole.
   * Returns the folder.
   */
  setAside(parts: readonly Pick<UnreadableFile, 'segment' | 'part'>[], now: number): Promise<string>
}
