import {
  type RecordedPage,
  type SegmentInfo,
  SegmentMissing,
  type SegmentPage,
  type SegmentStore,
} from '../../domain/segment/segment-store.ts'

/** The state of each segment, oldest first. @param names @default all */
export async function readSegmentInfos(
  segments: SegmentStore,
  names?: readonly string[],
): Promise<SegmentInfo[]> {
  const infos: SegmentInfo[] = []
  for (const name of names ?? (await segments.list())) {
    try {
      infos.push(await segments.info(name))
    } catch (error) {
      // Another process may have deleted it since: mergesegs.
      if (!(error instanceof SegmentMissing)) throw error
    }
  }
  return infos
}

/** All rows of one URL, newest segment first. @param name only from this segment */
export async function getPage(
  segments: SegmentStore,
  url: string,
  name?: string,
): Promise<readonly SegmentPage[]> {
  const found = await segments.get(url)
  return name === undefined ? found : found.filter(({ segment }) => segment === name)
}

/**
 * A page for people and for `jq`: the body as text, or its size if it is binary; all other fields as stored.
 * JSON escapes control characters, so the result is safe to print.
 */
export function readablePage(page: SegmentPage | RecordedPage): Readonly<Record<string, unknown>> {
  const { content, ...others } = page
  const fields = { url: 'url' in page ? page.url : page.fetch.url, ...others }
  if (content === undefined) return fields
  const { body, ...response } = content
  return { ...fields, content: { ...response, bytes: body.byteLength, ...textOf(body) } }
}

function textOf(body: Uint8Array): { body?: string } {
  try {
    return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body) }
  } catch {
    return {}
  }
}

/** Writes every page of the segments as a line of JSON. Returns the number of pages. */
export async function dumpSegments(
  segments: SegmentStore,
  names: readonly string[],
  write: (line: string) => Promise<void>,
): Promise<number> {
  let pages = 0
  for (const name of names) {
    for await (const batch of segments.pages([name])) {
      for (const page of batch) await write(`${JSON.stringify(readablePage(page))}\n`)
      pages += batch.length
    }
  }
  return pages
}
