import { readdir } from 'node:fs/promises'
import type { GenerateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import { segmentName } from '../crawl-directory/segment-files.ts'
import { selectDue } from './select-due.ts'
import type { Session } from './session.ts'
import { type WrittenList, writeFetchLists } from './write-fetch-lists.ts'

/** The part of generate that belongs in the transaction; the caller publishes the segments after the commit. */
export async function generateSegments(
  session: Session,
  segmentsPath: string,
  request: GenerateRequest,
): Promise<{ lists: WrittenList[]; rejected: Readonly<Record<string, number>> }> {
  const { segments, rejected } = await selectDue(session, request)
  const taken = new Set([...(await readdir(segmentsPath)), ...(await knownNames(session))])
  const names: string[] = []
  for (let at = request.now; names.length < segments.length; at += 1000) {
    const name = segmentName(at)
    if (!taken.has(name)) names.push(name)
    taken.add(name)
  }
  return {
    lists: await writeFetchLists(session, segmentsPath, { segments, rejected }, names, request),
    rejected,
  }
}

async function knownNames(session: Session): Promise<string[]> {
  return (await session.all<{ name: string }>('SELECT name FROM segments')).map(({ name }) => name)
}
