import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPackages } from './install-packages.ts'

/** Runs Maven in a folder; installs it first when it is missing and we may. @returns why it failed */
export function runMaven(folder: string, ...goal: readonly string[]): string | undefined {
  const run = () =>
    spawnSync('mvn', ['-q', '-B', ...goal], { cwd: folder, encoding: 'utf8', timeout: 600_000 })
  let { status, stdout, error } = run()
  if (error !== undefined && installPackages('maven')) ({ status, stdout, error } = run())
  if (error !== undefined) return 'Maven is missing: apt-get install maven'
  return status === 0
    ? undefined
    : `Maven: ${/\[ERROR\] (.{0,300})/.exec(stdout)?.[1] ?? stdout.slice(0, 300)}`
}

/** Copies artifacts (`group:name:version`) into a folder, with all jars that they need. @returns why it failed */
export function copyJars(folder: string, artifacts: readonly string[]): string | undefined {
  const dependencies = artifacts.map((artifact) => {
    const [groupId, artifactId, version] = artifact.split(':')
    return `<dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version></dependency>`
  })
  writeFileSync(
    join(folder, 'pom.xml'),
    `<project><modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>test</artifactId><version>1</version>
    <dependencies>${dependencies.join('')}</dependencies>
    </project>`,
  )
  return runMaven(folder, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`)
}
