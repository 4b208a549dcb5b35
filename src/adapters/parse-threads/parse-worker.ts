import { workerData } from 'node:worker_threads'
import { saveThreadCode } from '../../base/load-thread.ts'
import { type BatchParser, batchParser } from './parse-batch.ts'
import type { RulesSource } from './parse-pool.ts'

/** The function that each thread of a `ParsePool` calls. Not awaited here: the bundle is CommonJS. */
export const parseAll: Promise<BatchParser> = batchParser(workerData as RulesSource).then(
  (parse) => async (batch) => {
    const pages = await parse(batch)
    saveThreadCode()
    return pages
  },
)
