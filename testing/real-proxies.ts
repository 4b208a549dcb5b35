import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPackages } from './install-packages.ts'

/** A proxy server of a Debian package, on 127.0.0.1. */
export interface RealProxy {
  readonly port: number
  /** What it logged. */
  log(): string
  /** Ends the process, as a crash does. */
  stop(): Promise<void>
  /** Starts it again on the same port. */
  restart(): Promise<void>
  /** Stops it and removes its files. */
  close(): Promise<void>
}

const PROGRAMS = ['/usr/bin/tinyproxy', '/usr/bin/microsocks']

/** Makes sure that tinyproxy and microsocks are installed: installs them if they are missing and we may. `false` if they are not. */
export function requireProxies(): boolean {
  const areThere = () => PROGRAMS.every((path) => existsSync(path))
  if (areThere() || (installPackages('tinyproxy-bin', 'microsocks') && areThere())) return true
  process.stderr.write('the tests of real proxies need the packages tinyproxy-bin and microsocks\n')
  return false
}

/** An HTTP proxy that tunnels to any port. @param lines of its configuration, in addition */
export async function startTinyproxy(...lines: readonly string[]): Promise<RealProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-tinyproxy-'))
  const file = join(folder, 'tinyproxy.conf')
  const log = join(folder, 'log')
  return startProxy(folder, log, (port) => {
    const basics = [
      `Port ${port}`,
      'Listen 127.0.0.1',
      `LogFile "${log}"`,
      'LogLevel Connect',
      'MaxClients 50',
    ]
    writeFileSync(file, [...basics, ...lines, ''].join('\n'))
    return spawn('/usr/bin/tinyproxy', ['-d', '-c', file], { stdio: 'ignore' })
  })
}

/** A SOCKS5 proxy. */
export async function startMicrosocks(user?: { name: string; password: string }): Promise<RealProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-microsocks-'))
  const log = join(folder, 'log')
  const login = user === undefined ? [] : ['-u', user.name, '-P', user.password]
  return startProxy(folder, log, (port) => {
    const child = spawn('/usr/bin/microsocks', ['-i', '127.0.0.1', '-p', String(port), ...login], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr?.on('data', (text: Buffer) => writeFileSync(log, text, { flag: 'a' }))
    return child
  })
}

async function startProxy(
  folder: string,
  log: string,
  run: (port: number) => ChildProcess,
): Promise<RealProxy> {
  const port = await freePort()
  let child: ChildProcess | undefined
  const stop = async () => {
    const running = child
    child = undefined
    if (running === undefined || running.exitCode !== null) return
    running.kill('SIGKILL')
    await once(running, 'exit')
  }
  const restart = async () => {
    await stop()
    child = run(port)
    await untilListening(port)
  }
  await restart()
  return {
    port,
    log: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
    ...{ stop, restart },
    async close() {
      await stop()
      rmSync(folder, { recursive: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function untilListening(port: number): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`no proxy listens on port ${port}`)
}
