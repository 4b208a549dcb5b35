import { afterAll, beforeAll } from 'vitest'
import type { S3Server } from './s3-server.ts'
import { startS3Server } from './s3-server.ts'

/** An S3 server for the tests of a file; the environment of this process gives access to it. Call `requireS3Server` first. */
export function useS3(): { readonly server: S3Server; newPlace(): string } {
  let server: S3Server | undefined
  let places = 0
  const before = new Map<string, string | undefined>()
  const running = (): S3Server => {
    if (server === undefined) throw new Error('the S3 server is not running')
    return server
  }
  beforeAll(async () => {
    server = await startS3Server()
    for (const [name, value] of Object.entries(server.env)) {
      before.set(name, process.env[name])
      process.env[name] = value
    }
  })
  afterAll(async () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    await server?.stop()
  })
  return {
    get server() {
      return running()
    },
    /** `s3://bucket/prefix`, with a prefix that was not used yet. */
    newPlace: () => `s3://${running().bucket}/crawl-${++places}`,
  }
}
