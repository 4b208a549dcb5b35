import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../prometheus-server.ts'
import type { InstalledServer } from './installed-server.ts'
import { giveToServer, type JavaProcess, serverFolder, startJavaProcess } from './java-process.ts'

export interface ElasticServer extends JavaProcess {
  /** `http://127.0.0.1:port` */
  readonly origin: string
}

/** Starts a real OpenSearch or Elasticsearch, one empty node without authentication, on a free port. */
export async function startElastic(
  name: 'OpenSearch' | 'Elasticsearch',
  { home, javaHome }: InstalledServer & { ok: true },
): Promise<ElasticServer> {
  const folder = serverFolder(name)
  const config = join(folder, 'config')
  cpSync(join(home, 'config', 'log4j2.properties'), join(config, 'log4j2.properties'))
  const options = readFileSync(join(home, 'config', 'jvm.options'), 'utf8').replaceAll(
    /^.*(?:GC|-Xlog).*$/gm,
    '',
  )
  writeFileSync(
    join(config, 'jvm.options'),
    `${options}\n-Xms512m\n-Xmx512m\n-XX:+UseSerialGC\n-XX:TieredStopAtLevel=1\n`,
  )
  const [port, transportPort] = [await freePort(), await freePort()]
  const settings = {
    'discovery.type': 'single-node',
    'network.host': '127.0.0.1',
    'http.port': port,
    'transport.port': transportPort,
    'path.data': join(folder, 'data'),
    'path.logs': join(folder, 'logs'),
    // A test server may be the last that fits on the disk of a build machine.
    'cluster.routing.allocation.disk.threshold_enabled': false,
    ...(name === 'Elasticsearch' && { 'xpack.security.enabled': false }),
  }
  const lines = Object.entries(settings).map(([key, value]) => `${key}: ${value}\n`)
  writeFileSync(join(config, `${name.toLowerCase()}.yml`), lines.join(''))
  for (const part of ['data', 'logs', 'tmp']) {
    mkdirSync(join(folder, part))
    giveToServer(join(folder, part))
  }
  giveToServer(config)
  const variable = name === 'OpenSearch' ? 'OPENSEARCH' : 'ES'
  const origin = `http://127.0.0.1:${port}`
  const server = await startJavaProcess({
    command: join(home, 'bin', name.toLowerCase()),
    args: [],
    env: {
      // Elasticsearch does not start with a home folder that has its configuration.
      HOME: join(folder, 'tmp'),
      [`${variable}_JAVA_HOME`]: javaHome,
      [`${variable}_PATH_CONF`]: config,
      [`${variable}_TMPDIR`]: join(folder, 'tmp'),
    },
    folder,
    isReady: async () => (await fetch(`${origin}/_cluster/health?wait_for_status=yellow&timeout=1s`)).ok,
  })
  return { ...server, origin }
}
