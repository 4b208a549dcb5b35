import { workerData } from 'node:worker_threads'
import { batchParser } from './parse-batch.ts'
import type { RulesSource } from './parse-pool.ts'

/** The function that each thread of a `ParsePool` calls. Not awaited here: the bundle is CommonJS. */
export const parseAll = batchParser(workerData as RulesSource)
