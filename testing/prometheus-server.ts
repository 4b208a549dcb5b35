import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROMETHEUS } from './require-prometheus.ts'

/** A running Prometheus that scrapes its targets every second. */
export interface PrometheusServer {
  /** The series of an instant query. @throws if Prometheus cannot parse or evaluate it */
  query(expression: string): Promise<readonly PrometheusSeries[]>
  /** The response of the API to a path such as `/api/v1/targets`. */
  api(path: string): Promise<unknown>
  stop(): Promise<void>
}

export interface PrometheusSeries {
  readonly metric: Readonly<Record<string, string>>
  readonly value: number
}

/**
 * @param targets `host:port` of each server
 * @param ruleFiles absolute paths
 */
export async function startPrometheus(
  targets: readonly string[],
  ruleFiles: readonly string[],
): Promise<PrometheusServer> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-prometheus-'))
  const settings = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ruleFiles,
    scrape_configs: [{ job_name: 'orbweaver', static_configs: [{ targets }] }],
  }
  const config = join(folder, 'prometheus.yml')
  // JSON is YAML, too.
  writeFileSync(config, JSON.stringify(settings))
  const address = `127.0.0.1:${await freePort()}`
  const prometheus = spawn(
    PROMETHEUS,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const kill = () => prometheus.kill('SIGKILL')
  process.once('exit', kill)
  const api = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://${address}${path}`)
    const body = (await response.json()) as { status: string; error?: string; data: unknown }
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`)
    return body.data
  }
  const server: PrometheusServer = {
    api,
    async query(expression) {
      const data = await api(`/api/v1/query?query=${encodeURIComponent(expression)}`)
      const { result } = data as {
        result: Array<{ metric: Record<string, string>; value: [number, string] }>
      }
      return result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }))
    },
    async stop() {
      process.off('exit', kill)
      const closed = once(prometheus, 'close')
      kill()
      await closed
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await until(async () => (await fetch(`http://${address}/-/ready`)).ok, 'Prometheus is ready')
  } catch (error) {
    await server.stop()
    throw error
  }
  return server
}

/** Polls until `condition` is true. @throws after five minutes */
export async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 300_000
  for (;;) {
    if (await condition().catch(() => false)) return
    if (performance.now() > end) throw new Error(`not within five minutes: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** A port of this machine that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
