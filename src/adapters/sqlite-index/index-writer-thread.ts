import { parentPort, workerData } from 'node:worker_threads'
import { SqliteIndexWriter } from './sqlite-index-writer.ts'
import {
  type SentIndexError,
  sentIndexError,
  type WriterReply,
  type WriterRequest,
  type WriterThreadData,
} from './writer-messages.ts'

// Runs in the thread of `WriterThread`.

const { crawlDirectory } = workerData as WriterThreadData
let writer: SqliteIndexWriter | undefined
/** A failure discards all changes since the last commit, so that those that follow must not be written either. */
let failure: SentIndexError | undefined

async function perform(request: WriterRequest): Promise<void> {
  if (request.kind === 'close') {
    await writer?.close()
    parentPort?.close()
    return
  }
  if (failure === undefined)
    try {
      writer ??= SqliteIndexWriter.open(crawlDirectory)
      await (request.kind === 'write' ? writer.write(request.changes) : writer.commit())
    } catch (error) {
      failure = sentIndexError(error)
    }
  parentPort?.postMessage({ ...(failure !== undefined && { failure }) } satisfies WriterReply)
}

let requests = Promise.resolve()
parentPort?.on('message', (request: WriterRequest) => {
  requests = requests.then(() => perform(request))
})
