import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, until } from './prometheus-server.ts'
import { S3_SERVER } from './require-s3-server.ts'
import { S3Users } from './s3-users.ts'

/** A real S3 server on a free port of this machine, with an empty bucket. */
export interface S3Server {
  /** `http://127.0.0.1:port` */
  readonly endpoint: string
  readonly bucket: string
  /** The variables that give access to it, to its administrator. */
  readonly env: Readonly<Record<string, string>>
  readonly users: S3Users
  /** The folder with the objects of the bucket, as files. */
  readonly folder: string
  /** Kills it, as a power failure would. */
  kill(): Promise<void>
  /** Starts it again after a `kill`, on the same port, with all objects. */
  restart(): Promise<void>
  /** Stops it and removes its folder. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Call `requireS3Server` first. */
export async function startS3Server(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-s3-'))
  const bucket = 'crawls'
  mkdirSync(join(folder, 'objects', bucket), { recursive: true })
  mkdirSync(join(folder, 'metadata'))
  mkdirSync(join(folder, 'users'))
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const env = {
    AWS_ACCESS_KEY_ID: 'tester',
    AWS_SECRET_ACCESS_KEY: 'not-a-secret',
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'us-east-1',
  }
  let server: ChildProcess | undefined
  const killNow = () => server?.kill('SIGKILL')
  const start = async (): Promise<void> => {
    server = spawn(
      S3_SERVER,
      [
        ...['--port', `127.0.0.1:${port}`, '--quiet', '--keep-alive', '--iam-dir', join(folder, 'users')],
        ...['posix', '--sidecar', join(folder, 'metadata'), join(folder, 'objects')],
      ],
      {
        env: {
          ...process.env,
          ROOT_ACCESS_KEY: env.AWS_ACCESS_KEY_ID,
          ROOT_SECRET_KEY: env.AWS_SECRET_ACCESS_KEY,
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    process.once('exit', killNow)
    await until(async () => (await fetch(endpoint)).status === 403, 'the S3 server is ready')
  }
  const kill = async (): Promise<void> => {
    process.off('exit', killNow)
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    killNow()
    await ended
  }
  const stop = async (): Promise<void> => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    endpoint,
    bucket,
    env,
    users: new S3Users(endpoint, bucket, {
      accessKeyId: env.AWS_ACCESS_KEY_ID,
      secretAccessKey: env.AWS_SECRET_ACCESS_KEY,
    }),
    folder: join(folder, 'objects', bucket),
    kill,
    restart: start,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
