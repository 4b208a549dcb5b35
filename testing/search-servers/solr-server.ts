import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../prometheus-server.ts'
import type { InstalledServer } from './installed-server.ts'
import { giveToServer, type JavaProcess, serverFolder, startJavaProcess } from './java-process.ts'

export interface SolrServer extends JavaProcess {
  /** URL of a core with our configset. */
  readonly url: string
  /** URL of a core whose update chain fails a whole batch for one bad document. */
  readonly strictUrl: string
}

/** Starts a real Solr with empty cores, on a free port. */
export async function startSolr({ home, javaHome }: InstalledServer & { ok: true }): Promise<SolrServer> {
  const folder = serverFolder('Solr')
  writeFileSync(join(folder, 'solr.xml'), '<solr/>')
  createCore(folder, 'pages', (config) => config)
  createCore(folder, 'strict', (config) => config.replace(' default="true"', ''))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}/solr`
  const server = await startJavaProcess({
    command: join(javaHome, 'bin', 'java'),
    args: [
      ...[
        '-Xmx512m',
        '-XX:+UseSerialGC',
        '-XX:TieredStopAtLevel=1',
        '-Dlog4j2.level=WARN',
        '-cp',
        join(home, '*'),
      ],
      ...[fileURLToPath(new URL('SolrServer.java', import.meta.url)), String(port), folder],
    ],
    env: {},
    folder,
    isReady: async () =>
      (await fetch(`${origin}/pages/select?q=x`)).ok && (await fetch(`${origin}/strict/select?q=x`)).ok,
  })
  return { ...server, url: `${origin}/pages`, strictUrl: `${origin}/strict` }
}

const CONFIGSET = fileURLToPath(new URL('../../schemas/solr/conf', import.meta.url))

function createCore(home: string, name: string, change: (config: string) => string): void {
  const core = join(home, name)
  mkdirSync(core)
  cpSync(CONFIGSET, join(core, 'conf'), { recursive: true })
  const config = join(core, 'conf', 'solrconfig.xml')
  writeFileSync(config, change(readFileSync(config, 'utf8')))
  writeFileSync(join(core, 'core.properties'), `name=${name}\n`)
  giveToServer(core)
}
