import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The home of the oldest Java on this machine that has at least this version; `undefined`: there is none. */
export function findJava(minVersion: number): string | undefined {
  const folders = existsSync(JVM_FOLDER) ? readdirSync(JVM_FOLDER).map((name) => join(JVM_FOLDER, name)) : []
  const own = process.env['JAVA_HOME']
  const found = [...(own === undefined ? [] : [own]), ...folders]
    .map((home) => ({ home, version: javaVersion(home) ?? 0 }))
    .filter(({ version }) => version >= minVersion)
    .sort((a, b) => a.version - b.version)
  return found[0]?.home
}

const JVM_FOLDER = '/usr/lib/jvm'

/** `undefined`: there is no Java with a compiler. */
function javaVersion(home: string): number | undefined {
  // Solr is started from a source file.
  const javac = join(home, 'bin', 'javac')
  if (!existsSync(javac)) return undefined
  const { status, stdout } = spawnSync(javac, ['-version'], { encoding: 'utf8' })
  const version = /javac (?:1\.)?(\d+)/.exec(status === 0 ? stdout : '')
  return version === null ? undefined : Number(version[1])
}
