import { enableCompileCache } from 'node:module'

// Spark starts this for each partition: without the cache most of its CPU time is compiling.
enableCompileCache()
await import('./crawl-rules.ts')
