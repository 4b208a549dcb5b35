/** Serves the documentation site while you write: `node site/dev.ts`. The API reference is written once, at the start. */
import { createServer } from 'vitepress'
import { writeApiReference } from './api-reference.ts'

await writeApiReference()
const server = await createServer(import.meta.dirname)
await server.listen()
server.printUrls()
