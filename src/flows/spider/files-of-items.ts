import type { JsonObject } from '../../base/json.ts'
import { DownloadOutput, ItemOutput, type RequestOutput } from './output.ts'

/** An item, and the files to download for it. */
export interface ItemWithFiles {
  readonly item: JsonObject
  readonly files: readonly WantedFile[]
}

export interface WantedFile {
  readonly href: string
  readonly base: string | undefined
  /** The field of the item. */
  readonly as: string
  readonly isList: boolean
}

/** What a handler returned, sorted. */
export interface SortedOutputs {
  readonly requests: RequestOutput[]
  readonly items: ReadonlyArray<{ readonly item: unknown; readonly files: readonly WantedFile[] }>
}

/**
 * Finds the item of each download: the one that it names, or the only one of the page.
 * @param pageUrl a page of a spider without a schema may have files and no item: then the item has the URL of the page
 * @throws TypeError for a download whose item is not clear
 */
export function sortOutputs(
  outputs: ReadonlyArray<ItemOutput<unknown> | RequestOutput | DownloadOutput>,
  hasSchema: boolean,
  pageUrl: string,
): SortedOutputs {
  const requests: RequestOutput[] = []
  const items: Array<{ readonly output: ItemOutput<unknown>; readonly files: WantedFile[] }> = []
  const downloads: DownloadOutput[] = []
  for (const output of outputs) {
    if (output instanceof ItemOutput) items.push({ output, files: [] })
    else if (output instanceof DownloadOutput) downloads.push(output)
    else requests.push(output)
  }
  if (downloads.length > 0 && items.length === 0 && !hasSchema)
    items.push({ output: new ItemOutput({ url: pageUrl }), files: [] })
  for (const download of downloads) {
    const own = items.filter(({ output }) => belongs(download, output, items.length))
    if (own.length !== 1) throw new TypeError(unclear(download, items.length))
    own[0]?.files.push(wantedFile(download, own[0].files))
  }
  return { requests, items: items.map(({ output, files }) => ({ item: output.item, files })) }
}

function belongs({ item }: DownloadOutput, output: ItemOutput<unknown>, items: number): boolean {
  return item === undefined ? items === 1 : item === output || item === output.item
}

function unclear({ href, item }: DownloadOutput, items: number): string {
  if (item !== undefined)
    return `page.download(${JSON.stringify(href)}) names an item that the handler does not yield: yield it, too`
  if (items === 0)
    return `page.download(${JSON.stringify(href)}) has no item: yield page.item(…) for the same page; the file becomes a field of it`
  return `the page has ${items} items, so page.download(${JSON.stringify(href)}) must name its own: const book = page.item(…); yield book; yield page.download(url, { as: 'cover', item: book })`
}

function wantedFile({ href, base, as }: DownloadOutput, others: readonly WantedFile[]): WantedFile {
  const isList = as.endsWith('[]')
  const field = isList ? as.slice(0, -2) : as
  if (field === '') throw new TypeError('page.download: as must be the name of a field')
  if (others.some((other) => other.as === field && !(isList && other.isList)))
    throw new TypeError(
      `two downloads of one item are both named ${JSON.stringify(field)}: for a list of files, write as: '${field}[]' in all of them`,
    )
  return { href, base, as: field, isList }
}

/** @throws TypeError if the item has one of the fields of its files already */
export function checkFileFields(item: JsonObject, files: readonly WantedFile[]): void {
  for (const { as } of files)
    if (item[as] !== undefined && item[as] !== null)
      throw new TypeError(
        `the item has a field ${JSON.stringify(as)} already, so page.download needs another name: { as: '…' }`,
      )
}
