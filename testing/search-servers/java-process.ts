import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

export interface JavaProcess {
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

export interface JavaProcessOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  /** Whether the server takes requests. May reject. */
  readonly isReady: () => Promise<boolean>
}

/** A folder for the data of a server, which the user that runs the server owns. */
export function serverFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `orbweaver-${name.toLowerCase()}-`))
  giveToServer(folder)
  return folder
}

/** These servers refuse to run as root: if we are root, they run as an unprivileged user. */
export function giveToServer(path: string): void {
  if (USER !== undefined) chownSync(path, USER.uid, USER.gid)
}

const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

/** Starts a server and waits until it is ready. @throws with the end of its output if it stops before, or is not ready in five minutes */
export async function startJavaProcess(options: JavaProcessOptions): Promise<JavaProcess> {
  const { command, args, env, folder, isReady } = options
  const logFile = join(folder, 'output.log')
  // A launcher may start a process of its own: both are in one group, which is killed together.
  const server = spawn(command, args, {
    ...{ cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'], ...USER },
    env: { ...process.env, ...env },
  })
  const output = createWriteStream(logFile)
  server.stdout?.pipe(output, { end: false })
  server.stderr?.pipe(output, { end: false })
  const kill = () => {
    if (server.pid === undefined) return
    try {
      process.kill(-server.pid, 'SIGKILL')
    } catch {
      // The group has ended already.
    }
  }
  process.once('exit', kill)
  const stop = async () => {
    process.off('exit', kill)
    const hasEnded = server.exitCode !== null || server.signalCode !== null
    const ended = hasEnded ? undefined : once(server, 'exit')
    kill()
    await ended
    output.end()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const endAt = Date.now() + 300_000
  while (!(await isReady().catch(() => false))) {
    if (server.exitCode === null && Date.now() < endAt) {
      await delay(200)
      continue
    }
    const end = readFileSync(logFile, 'utf8').slice(-2_000)
    await stop()
    throw new Error(`${command} did not start: ${end}`)
  }
  return { stop }
}
