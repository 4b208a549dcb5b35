import { enableCompileCache } from 'node:module'
import { workerData } from 'node:worker_threads'
import type { ParseThreadData } from './parse-pool.ts'

// Runs in each thread of a `ParsePool`. It imports the parser late: a thread has no compile cache before it enables one.

const { rules, compileCache } = workerData as ParseThreadData
if (compileCache !== undefined) enableCompileCache(compileCache)
const { batchParser } = await import('./parse-batch.ts')

export const parseAll = await batchParser(rules)
