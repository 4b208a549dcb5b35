import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { compileCacheFolder } from '../../base/compile-cache-folder.ts'
import { programFile } from '../../base/program-files.ts'

// Spark starts this for each partition: without the cache most of its CPU time is compiling.
const folder = compileCacheFolder(fileURLToPath(programFile('')))
if (folder !== undefined) enableCompileCache(folder)
import('./crawl-rules.ts')
