import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import {
  type OpenObjectStoreOptions,
  openObjectStore,
} from '../src/adapters/object-store/open-object-store.ts'
import type { ObjectStoreSettings } from '../src/adapters/object-store/s3-endpoint.ts'
import type { ObjectStore } from '../src/domain/object-store/object-store.ts'
import { QuickClock } from './quick-clock.ts'
import { type S3Fault, type S3FaultProxy, startS3FaultProxy } from './s3-fault-proxy.ts'
import { type S3Server, startS3Server } from './s3-server.ts'

/** What one test has. */
export interface FaultyS3Test {
  readonly server: S3Server
  readonly proxy: S3FaultProxy
  readonly clock: QuickClock
  /** An empty folder. */
  readonly folder: string
  /** Of the keys of this test. */
  readonly prefix: string
  /** A store of the bucket at this prefix. */
  readonly store: ObjectStore
}

export interface FaultyS3 {
  /** Opens a store that is closed after the test. @param url default: that of `store` */
  open(
    settings?: ObjectStoreSettings,
    env?: OpenObjectStoreOptions['env'],
    url?: string,
    options?: OpenObjectStoreOptions,
  ): Promise<ObjectStore>
  /** The environment that leads through the proxy, with changes. */
  env(changes?: Record<string, string>): Record<string, string>
  /** The first requests from now on fail. */
  failFirst(times: number, fault: S3Fault): void
}

/** An S3 server behind a proxy with faults, for the tests of a file. Call `requireS3Server` first. @param onTest called before each test */
export function useFaultyS3(name: string, onTest: (test: FaultyS3Test) => void): FaultyS3 {
  let server: S3Server
  let test: Omit<FaultyS3Test, 'store'>
  let tests = 0
  const opened: ObjectStore[] = []
  const env: FaultyS3['env'] = (changes = {}) => ({
    ...server.env,
    AWS_ENDPOINT_URL: test.proxy.endpoint,
    ...changes,
  })
  const open: FaultyS3['open'] = async (settings = {}, given = env(), url, options = {}) => {
    const { clock, prefix } = test
    const store = await openObjectStore(url ?? `s3://crawls/${prefix}`, settings, {
      ...{ env: given, clock },
      ...options,
    })
    opened.push(store)
    return store
  }
  beforeAll(async () => {
    server = await startS3Server()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), `orbweaver-s3-${name}-`))
    const proxy = await startS3FaultProxy(server.endpoint)
    test = { server, proxy, clock: new QuickClock(), folder, prefix: `${name}${++tests}` }
    onTest({ ...test, store: await open() })
  })
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close()
    await test.proxy.close()
    rmSync(test.folder, { recursive: true })
  })
  return {
    open,
    env,
    failFirst(times, fault) {
      let failures = 0
      test.proxy.decide(() => (failures++ < times ? fault : undefined))
    },
  }
}

export async function firstOf<T>(list: AsyncIterable<T>): Promise<T | undefined> {
  for await (const one of list) return one
  return undefined
}
