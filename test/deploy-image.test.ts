import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageVersion } from '../src/base/package-version.ts'
import { runNode, runProgram } from './run-orbweaver.ts'

/**
 * The instructions of deploy/docker/Dockerfile, run one after the other in folders, each of which stands for the root of an image: only
 * that of the system's packages is left out, and the paths of the last stage are relative to its folder.
 */

const ROOT = join(import.meta.dirname, '..')
const INSTALL_MS = 600_000
/** The packages of this project are in npm's cache. */
const OFFLINE = 'npm_config_prefer_offline=true'

interface Stage {
  readonly name: string
  readonly instructions: ReadonlyArray<{ readonly name: string; readonly value: string }>
}

const stages = readStages(readFileSync(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'orbweaver-image-'))
const app = join(folder, 'final/app')

function readStages(text: string): Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  const stages: Array<{ name: string; instructions: Array<{ name: string; value: string }> }> = []
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (name === 'FROM') stages.push({ name: / AS (\w+)$/.exec(value)?.[1] ?? 'final', instructions: [] })
    else if (name !== '') stages.at(-1)?.instructions.push({ name, value })
  }
  return stages
}

function instructions(stage: string, name: string): string[] {
  const found = stages.find((one) => one.name === stage)?.instructions ?? []
  return found.filter((one) => one.name === name).map(({ value }) => value)
}

/** Whether Docker would send the file to the builder. */
function isSent(path: string): boolean {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'))
  let isIgnored = false
  for (const line of patterns) {
    const pattern = line.replace(/^!/, '')
    if (pattern === '*' || isWithin(path, pattern)) isIgnored = !line.startsWith('!')
  }
  return !isIgnored
}

function isWithin(path: string, pattern: string): boolean {
  for (let part = path; part !== '.'; part = dirname(part)) if (matchesGlob(part, pattern)) return true
  return false
}

/** `COPY [--from=stage] source… target` with paths below /app. */
function copy(stage: string, value: string): void {
  const [, from, paths = ''] = /^(?:--from=(\w+) )?(.+)$/.exec(value) ?? []
  const names = paths.split(' ')
  const target = join(folder, stage, 'app', names.pop() ?? '')
  for (const name of names) {
    const source = from === undefined ? join(ROOT, name) : join(folder, from, name)
    const to =
      names.length === 1 && !/\/$/.test(value) && name !== '.'
        ? target
        : join(target, name === '.' ? '' : (name.split('/').at(-1) ?? ''))
    const isNeeded = (path: string) => from !== undefined || isSentOrFolder(path)
    cpSync(source, to, { recursive: true, filter: isNeeded, verbatimSymlinks: true })
  }
}

function isSentOrFolder(path: string): boolean {
  const name = relative(ROOT, path)
  if (name === '' || name === 'deploy' || name === join('deploy', 'docker')) return true
  return !name.startsWith('.git') && isSent(name)
}

beforeAll(async () => {
  for (const { name, instructions: all } of stages) {
    mkdirSync(join(folder, name, 'app'), { recursive: true })
    for (const instruction of all) {
      if (instruction.name === 'COPY') copy(name, instruction.value)
      else if (instruction.name === 'RUN' && instruction.value.startsWith('npm ')) {
        const { exitCode, stderr } = await runProgram(
          'sh',
          ['-c', `${OFFLINE} ${instruction.value}`],
          join(folder, name, 'app'),
        )
        expect(exitCode, stderr).toBe(0)
      }
    }
  }
}, INSTALL_MS)
afterAll(() => rmSync(folder, { recursive: true }))

describe('the image', () => {
  it('has a working program, and its page', async () => {
    const { exitCode, stdout } = await runNode([join(app, 'bin/orbweaver.js'), '--version'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${packageVersion()}\n` })
    expect(existsSync(join(app, 'dist/web/index.html'))).toBe(true)
  })

  it('crawls in a folder, and runs a spider in another one', async () => {
    const bin = join(app, 'bin/orbweaver.js')
    const crawl = join(folder, 'crawl')
    expect(await runNode([bin, 'demo', crawl])).toMatchObject({ exitCode: 0 })
    const search = await runNode([bin, 'search', crawl, 'orb', '--json'])
    expect(JSON.parse(search.stdout).total).toBeGreaterThan(0)
    symlinkSync(join(ROOT, 'examples'), join(folder, 'spiders'))
    const spider = await runNode([
      bin,
      'run',
      join(folder, 'spiders/quotes.ts'),
      '--arg',
      'site=http://127.0.0.1:1/',
    ])
    expect(spider.stdout + spider.stderr).toContain('refused-port')
  })

  it('has the packages that the program needs, and no others', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const isThere = (name: string) => existsSync(join(app, 'node_modules', name))
    expect(Object.keys(dependencies).filter((name) => !isThere(name))).toEqual([])
    expect(Object.keys(devDependencies).filter(isThere)).toEqual([])
    expect(existsSync(join(app, 'src'))).toBe(false)
  })

  it('has the licenses, and no files that only compilers read', () => {
    for (const file of ['LICENSE', 'dist/licenses.md']) expect(existsSync(join(app, file)), file).toBe(true)
    expect(globSync('{bin,dist,schemas}/**/*.{d.ts,map}', { cwd: app })).toEqual([])
  })

  it('names the license, the source and the homepage of package.json', () => {
    const { license, homepage, repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const [labels = ''] = instructions('final', 'LABEL')
    expect(labels).toContain(`org.opencontainers.image.licenses="${license}"`)
    expect(labels).toContain(
      `org.opencontainers.image.source="${repository.url.replace(/^git\+|\.git$/g, '')}"`,
    )
    expect(labels).toContain(`org.opencontainers.image.documentation="${homepage}"`)
  })

  it('runs orbweaver behind tini, as user 1000, with the ports of the health check', () => {
    expect(instructions('final', 'ENTRYPOINT')).toEqual(['["tini", "--", "orbweaver"]'])
    expect(instructions('final', 'RUN').join()).toContain(
      'ln -s /app/bin/orbweaver.js /usr/local/bin/orbweaver',
    )
    expect(instructions('final', 'USER')).toEqual(['1000:1000'])
    expect(instructions('final', 'EXPOSE')).toEqual(['8090 9464'])
    expect(healthCheck()).toEqual(['node', '/app/healthcheck.js', '8090', '9464'])
  })
})

/** The command of HEALTHCHECK. */
function healthCheck(): string[] {
  const [, command = '[]'] = /CMD (.+)$/.exec(instructions('final', 'HEALTHCHECK')[0] ?? '') ?? []
  return JSON.parse(command)
}

describe('the health check', () => {
  const check = (...ports: number[]) => runNode([join(app, 'healthcheck.js'), ...ports.map(String)])

  async function withServer(respond: RequestListener, use: (port: number) => Promise<void>): Promise<void> {
    const server = createServer(respond)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      await use((server.address() as AddressInfo).port)
    } finally {
      server.close()
      server.closeAllConnections()
    }
  }

  it('succeeds for a server that responds, and for a command without a server', async () => {
    await withServer(
      (_, response) => response.end('ok'),
      async (port) => {
        expect(await check(port, 1)).toMatchObject({ exitCode: 0, stderr: '' })
      },
    )
    expect(await check(1, 2)).toMatchObject({ exitCode: 0 })
  })

  it('fails for a server that responds with an error, and for one that does not respond', async () => {
    await withServer(
      (_, response) => response.writeHead(500).end(),
      async (port) => {
        expect(await check(port)).toMatchObject({ exitCode: 1, stderr: `port ${port}: status 500\n` })
      },
    )
    await withServer(
      () => {},
      async (port) => {
        expect(await check(port)).toMatchObject({
          exitCode: 1,
          stderr: `port ${port}: no response for 8 seconds\n`,
        })
      },
    )
  })
})
