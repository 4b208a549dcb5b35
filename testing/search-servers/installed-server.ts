import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { installPackages } from '../install-packages.ts'
import { copyJars, runMaven } from '../run-maven.ts'
import { TOOL_CACHE } from '../tool-cache.ts'
import { findJava } from './find-java.ts'

/** A search server that can be started, or why there is none. */
export type InstalledServer =
  | {
      readonly ok: true
      readonly version: string
      /** Folder of Solr's jars, or of the distribution of OpenSearch or Elasticsearch. */
      readonly home: string
      readonly javaHome: string
    }
  | { readonly ok: false; readonly version: string; readonly reason: string }

/** The servers that the tests run with. All are on Maven; Solr 10 is not, except for some of its jars. */
export const SEARCH_SERVERS = {
  Solr: { version: '9.10.1', java: 11, artifact: 'org.apache.solr:solr-test-framework' },
  OpenSearch: {
    version: '3.6.0',
    java: 21,
    artifact: 'org.opensearch.distribution.integ-test-zip:opensearch',
  },
  // Without its modules, of which our mapping needs analysis-common.
  Elasticsearch: {
    version: '8.19.21',
    java: 17,
    artifact: 'org.elasticsearch.distribution.integ-test-zip:elasticsearch',
  },
} as const

const SOLR_JARS = `${SEARCH_SERVERS.Solr.artifact}:${SEARCH_SERVERS.Solr.version}`

export type SearchServerName = keyof typeof SEARCH_SERVERS

/** OpenSearch and Elasticsearch refuse to run as root, and others may not read the home folder of root. */
const CACHE = process.getuid?.() === 0 ? '/var/cache/orbweaver-testing' : TOOL_CACHE

/** The server, if `requireSearchServer` has installed it. */
export function findSearchServer(name: SearchServerName): InstalledServer {
  const { version, java } = SEARCH_SERVERS[name]
  const javaHome = findJava(java)
  if (javaHome === undefined) return { ok: false, version, reason: `install a JDK ${java} or newer` }
  const folder = folderOf(name)
  if (!existsSync(folder)) return { ok: false, version, reason: 'it is not installed: npm run test:servers' }
  return { ok: true, version, home: name === 'Solr' ? folder : join(folder, basename(folder)), javaHome }
}

/** Installs a server from Maven into a cache folder, once, and Debian's packages for it when they are missing and we may. */
export function requireSearchServer(name: SearchServerName): InstalledServer {
  const { version, java } = SEARCH_SERVERS[name]
  if (findJava(java) === undefined) installPackages(`openjdk-${Math.max(java, 17)}-jdk-headless`)
  const folder = folderOf(name)
  if (findJava(java) === undefined || existsSync(folder)) return findSearchServer(name)
  // Complete under its name: several processes may install at once, and one may be killed meanwhile.
  const aside = `${folder}.${process.pid}`
  mkdirSync(aside, { recursive: true })
  try {
    const failure = name === 'Solr' ? copyJars(aside, [SOLR_JARS]) : unpack(name, aside)
    if (failure !== undefined) return { ok: false, version, reason: failure }
    if (!existsSync(folder)) renameSync(aside, folder)
    return findSearchServer(name)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

function folderOf(name: SearchServerName): string {
  return join(CACHE, `${name.toLowerCase()}-${SEARCH_SERVERS[name].version}`)
}

function unpack(name: 'OpenSearch' | 'Elasticsearch', folder: string): string | undefined {
  const { artifact, version } = SEARCH_SERVERS[name]
  return runMaven(
    folder,
    'dependency:unpack',
    `-Dartifact=${artifact}:${version}:zip`,
    `-DoutputDirectory=${folder}`,
  )
}
