import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../base/crawl-error.ts'
import type { LiveCrawl } from '../../../domain/live/live-crawl.ts'
import type { LiveAction } from '../../../domain/live/live-report.ts'
import { ControlClient } from './control-client.ts'
import { CrawlNotRunning, OwnerGone } from './control-error.ts'
import { requestFrame } from './control-frames.ts'
import type { OwnedReads, SqlPart } from './control-methods.ts'
import { ControlServer } from './control-server.ts'
import { findLiveCrawl, RemoteLiveCrawl } from './remote-live-crawl.ts'
import { remoteReads } from './remote-reads.ts'

let path: string
let server: ControlServer | undefined
let sql: (query: string, signal: AbortSignal) => AsyncIterable<SqlPart>
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'orbweaver-'))
  sql = async function* (query) {
    yield { columns: ['q'] }
    yield [[query]]
  }
})
afterEach(async () => {
  await server?.close()
  server = undefined
  await rm(path, { recursive: true, force: true })
})

async function start(directory = path, stallMs = 30_000): Promise<ControlServer> {
  server = await ControlServer.start(directory, { reads: readsOf, stallMs })
  return server
}

/** The parts of a crawl that these tests read. */
function readsOf(signal: AbortSignal): OwnedReads {
  const reads = {
    db: { seeds: async () => ['http://a.test/'] },
    reader: { sqlParts: (query: string) => sql(query, signal) },
    items: {},
  }
  return reads as unknown as OwnedReads
}

const socketOf = (directory = path) => join(directory, '.control', 'socket')
const seedsOf = (directory = path) => remoteReads(new ControlClient(directory)).db.seeds()
const query = (text: string) => remoteReads(new ControlClient(path)).reader.sql(text)

async function connected(): Promise<Socket> {
  const socket = connect({ path: socketOf() })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

describe('ControlServer', () => {
  it('responds in a folder that only its user can open, and leaves nothing behind', async () => {
    const { close } = await start().then((started) => ({ close: () => started.close() }))
    expect(lstatSync(join(path, '.control')).mode & 0o777).toBe(0o700)
    expect(await seedsOf()).toEqual(['http://a.test/'])
    await close()
    expect(readdirSync(path)).toEqual([])
    await expect(seedsOf()).rejects.toThrow(OwnerGone)
  })

  it('replaces the socket of a process that was killed', async () => {
    mkdirSync(join(path, '.control'))
    const script = `require('node:net').createServer().listen(${JSON.stringify(socketOf())}, () => process.kill(process.pid, 'SIGKILL'))`
    expect(spawnSync(process.execPath, ['-e', script]).signal).toBe('SIGKILL')
    expect(existsSync(socketOf())).toBe(true)
    await start()
    expect(await seedsOf()).toEqual(['http://a.test/'])
  })

  it('works in a directory whose path is too long for a socket', async () => {
    const deep = join(path, 'd'.repeat(120), 'e'.repeat(120))
    mkdirSync(deep, { recursive: true })
    await start(deep)
    expect(await seedsOf(deep)).toEqual(['http://a.test/'])
    expect(lstatSync(socketOf(deep)).isSocket()).toBe(true)
    await server?.close()
    expect(readdirSync(deep)).toEqual([])
  })

  it.each([
    ['random bytes', Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100))],
    ['a huge message', Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 0x7b])],
    ['an empty message', Buffer.from([0, 0, 0, 0, 1])],
    ['a request that is not JSON', Buffer.from([0, 0, 0, 3, 1, 0x7b, 0x7b])],
    ['a response', Buffer.from([0, 0, 0, 1, 3])],
  ])('disconnects a client that sends %s, and serves the next', async (_, bytes) => {
    await start()
    const socket = await connected()
    socket.resume()
    const closed = once(socket, 'close')
    socket.write(bytes)
    await closed
    expect(await seedsOf()).toEqual(['http://a.test/'])
  })

  it.each([
    [{ version: 1, method: 'constructor', args: [] }, 'CONTROL_VERSION_DIFFERS'],
    [{ version: 2, method: 'seeds', args: [] }, 'CONTROL_VERSION_DIFFERS'],
    [{ version: 1, method: 'items', args: ['0; DELETE FROM urls', 1] }, 'CONTROL_REQUEST_INVALID'],
    [{ version: 1, method: 'items', args: [0] }, 'CONTROL_REQUEST_INVALID'],
    [{ version: 1, method: 'dump', args: [{ format: 'csv', topN: '1; DROP' }] }, 'CONTROL_REQUEST_INVALID'],
    [{ nothing: true }, 'CONTROL_REQUEST_INVALID'],
    ['text', 'CONTROL_REQUEST_INVALID'],
  ])('refuses %j', async (request, code) => {
    await start()
    const socket = await connected()
    let response = ''
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1')
    })
    socket.write(requestFrame(request as object))
    await once(socket, 'end')
    expect(response).toContain(code)
  })

  it('interrupts the query of a reader that disconnects', async () => {
    let interrupted: (value: unknown) => void = () => {}
    const interruption = new Promise((resolve) => {
      interrupted = resolve
    })
    sql = async function* (_, signal) {
      yield { columns: [] }
      await once(signal, 'abort')
      interrupted(signal.reason)
    }
    await start()
    const socket = await connected()
    socket.write(requestFrame({ version: 1, method: 'sql', args: ['SELECT 1'] }))
    await once(socket, 'data')
    socket.destroy()
    await interruption
  })

  it('sends no faster than the reader reads, and disconnects one that stalls', async () => {
    let sent = 0
    sql = async function* () {
      for (; sent < 10_000; sent++) yield [['x'.repeat(100_000)]]
    }
    await start(path, 300)
    const socket = await connected()
    socket.write(requestFrame({ version: 1, method: 'sql', args: ['SELECT 1'] }))
    socket.pause()
    // The place of the stalled reader becomes free.
    sql = async function* () {
      yield { columns: ['x'] }
    }
    expect(await query('SELECT 2')).toEqual({ columns: ['x'], rows: [] })
    expect(sent).toBeLessThan(100)
    socket.destroy()
  })

  it('runs one scan at a time, and lookups meanwhile', async () => {
    const running: string[] = []
    let finish: () => void = () => {}
    sql = async function* (text) {
      running.push(text)
      yield { columns: [text] }
      if (text === 'first')
        await new Promise<void>((resolve) => {
          finish = resolve
        })
    }
    await start()
    const first = query('first')
    const second = query('second')
    expect(await seedsOf()).toEqual(['http://a.test/'])
    expect(running).toEqual(['first'])
    finish()
    expect((await first).columns).toEqual(['first'])
    expect((await second).columns).toEqual(['second'])
  })

  it('serves 100 readers at once', async () => {
    await start()
    const all = await Promise.all(Array.from({ length: 100 }, (_, i) => query(`q${i}`)))
    expect(all.map(({ rows }) => rows[0]?.[0])).toEqual(Array.from({ length: 100 }, (_, i) => `q${i}`))
  })

  it('passes errors on with their class, code and message', async () => {
    sql = async function* () {
      yield await Promise.reject(new ConfigurationError('QUERY_INVALID', 'give one SELECT'))
    }
    await start()
    const error = await query('x').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error).toMatchObject({ code: 'QUERY_INVALID', message: 'give one SELECT' })
  })

  it('keeps values that JSON loses', async () => {
    const rows = [
      [1n, undefined, new Uint8Array([1]), Number.POSITIVE_INFINITY, new Date(0), { a: undefined }],
    ]
    sql = async function* () {
      yield rows
    }
    await start()
    expect((await query('x')).rows).toStrictEqual(rows)
  })

  it('tells readers that it is closing, and waits for none of them', async () => {
    sql = async function* (_, signal) {
      yield { columns: [] }
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const started = await start()
    const idle = await connected()
    const reading = query('x').catch((error: unknown) => error)
    const socket = await connected()
    socket.write(requestFrame({ version: 1, method: 'sql', args: ['SELECT 1'] }))
    await seedsOf()
    await started.stopReads()
    expect(await reading).toMatchObject({ code: 'CRAWL_OWNER_GONE', isClosing: true })
    await expect(seedsOf()).rejects.toMatchObject({ isClosing: true })
    await started.close()
    await expect(seedsOf()).rejects.toMatchObject({ isClosing: false })
    for (const open of [idle, socket]) open.destroy()
  })

  it('does not keep its process alive, even with a reader connected', async () => {
    const script = `
      import { ControlServer } from ${JSON.stringify(join(import.meta.dirname, 'control-server.ts'))}
      await ControlServer.start(${JSON.stringify(path)}, { reads: () => ({}) })
      process.stdin.once('data', () => process.stdin.pause())
      console.log('listening')`
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    await once(child.stdout, 'data')
    const socket = await connected()
    child.stdin.end('go')
    expect(await ended).toEqual([0, null])
    socket.destroy()
  })

  it('fails to start where the folder cannot be made', async () => {
    const file = join(path, 'file')
    writeFileSync(file, '')
    await expect(ControlServer.start(file, { reads: readsOf })).rejects.toThrow(/ENOTDIR|EEXIST/)
  })
})

describe('ControlClient', () => {
  it('does not connect to a socket in a folder that others can open', async () => {
    await start()
    chmodSync(join(path, '.control'), 0o755)
    await expect(seedsOf()).rejects.toThrow(/other users can open/)
  })

  it.runIf(process.getuid?.() === 0)(
    'is refused to other users, by the system and by the check',
    async () => {
      await start()
      chmodSync(path, 0o777)
      const script = `
      const { connect } = await import('node:net')
      process.setgid(65534); process.setuid(65534)
      connect(${JSON.stringify(socketOf())}).on('connect', () => console.log('connected')).on('error', ({ code }) => console.log(code))
      const { ControlClient } = await import(${JSON.stringify(join(import.meta.dirname, 'control-client.ts'))}).catch(() => ({}))
      if (ControlClient) await new ControlClient(${JSON.stringify(path)}).ping().catch(({ code, message }) => console.log(code, message))`
      const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += String(chunk)
      })
      await once(child, 'close')
      expect(output).toContain('EACCES')
      expect(output).not.toContain('connected')
      expect(await seedsOf()).toEqual(['http://a.test/'])
    },
  )

  it('gives up on a process that accepts connections and does not respond', async () => {
    mkdirSync(join(path, '.control'), { mode: 0o700 })
    const silent = createServer(() => {}).listen(socketOf())
    await once(silent, 'listening')
    const client = new ControlClient(path)
    const values = client.stream('ping', [], AbortSignal.timeout(50))
    await expect(values.next()).rejects.toThrow(OwnerGone)
    silent.close()
  })
})

describe('RemoteLiveCrawl', () => {
  const actions: LiveAction[] = []
  const live = {
    report: async () => ({ kind: 'cycle', name: 'x', failures: [] }),
    series: async () => ({ points: [{ at: 1 }] }),
    hosts: async ({ limit }: { readonly limit: number }) => ({ total: limit, hosts: [] }),
    act: async (action: LiveAction) => {
      actions.push(action)
      return { ok: true, message: action.action }
    },
  } as unknown as LiveCrawl

  it('reaches the running crawl of another process', async () => {
    const started = await start()
    started.live = live
    const remote = await findLiveCrawl(path)
    expect(await remote?.report()).toEqual(await live.report())
    expect(await remote?.series()).toEqual(await live.series())
    const hosts = { sort: 'host', descending: true, offset: 0, limit: 7 } as const
    expect(await remote?.hosts(hosts)).toEqual({ total: 7, hosts: [] })
    const requested: LiveAction[] = [
      { action: 'pause' },
      { action: 'set-delay', host: 'a.test', delayMs: 5_000 },
      { action: 'set-delay', host: 'a.test', delayMs: null },
      { action: 'retry-failed' },
      { action: 'retry-failed', url: 'http://a.test/' },
      { action: 'stop' },
    ]
    for (const action of requested)
      expect(await remote?.act(action)).toEqual({ ok: true, message: action.action })
    expect(actions).toEqual(requested)
  })

  it('says that nothing is running', async () => {
    expect(await findLiveCrawl(path)).toBeUndefined()
    await start()
    expect(await findLiveCrawl(path)).toBeUndefined()
    await expect(new RemoteLiveCrawl(path).report()).rejects.toThrow(CrawlNotRunning)
  })
})
