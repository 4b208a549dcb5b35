import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ACTIONLINT, CHECK_SCHEMA, requireActionlint, requireCheckSchema } from '../testing/project-tools.ts'

/** The files that GitHub and maintainers use: workflows, forms, dependency updates, citation. */

const ROOT = join(import.meta.dirname, '..')
const files = (pattern: string) => globSync(pattern, { cwd: ROOT }).sort()
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

function run(program: string, args: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

interface Job {
  readonly uses?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
  readonly strategy?: { readonly matrix: { readonly node: readonly string[] } }
  readonly steps?: ReadonlyArray<{ readonly uses?: string; readonly run?: string; readonly with?: object }>
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const WORKFLOWS = files('.github/workflows/*.yml')
const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> }

describe.runIf(requireCheckSchema())('by its schema, GitHub accepts', () => {
  it.each([
    ['vendor.github-workflows', WORKFLOWS],
    ['vendor.dependabot', ['.github/dependabot.yml']],
    ['vendor.github-issue-config', ['.github/ISSUE_TEMPLATE/config.yml']],
    ['vendor.github-issue-forms', files('.github/ISSUE_TEMPLATE/!(config).yml')],
    ['vendor.citation-file-format', ['CITATION.cff']],
  ])('%s', (schema, names) => {
    expect(names.length).toBeGreaterThan(0)
    const { status, output } = run(CHECK_SCHEMA, ['--builtin-schema', schema, ...names])
    expect(status, output).toBe(0)
  })
})

describe('the workflows', () => {
  it.runIf(requireActionlint())('have no findings of actionlint', () => {
    expect(run(ACTIONLINT, ['-no-color', ...WORKFLOWS])).toEqual({ status: 0, output: '' })
  })

  const workflows = WORKFLOWS.map((file) => ({ file, ...(parse(read(file)) as Workflow) }))

  it.each(workflows)('$file may only read, but for single jobs', ({ permissions, jobs }) => {
    expect(permissions).toEqual({ contents: 'read' })
    const written = Object.values(jobs).flatMap((job) =>
      Object.entries(job.permissions ?? {}).flatMap(([name, access]) => (access === 'write' ? [name] : [])),
    )
    for (const name of written) expect(['contents', 'id-token', 'pages']).toContain(name)
  })

  it.each(workflows)('$file limits the time of jobs, and pins actions by their version', ({ jobs }) => {
    for (const { uses, steps = [], 'timeout-minutes': minutes } of Object.values(jobs)) {
      if (uses === undefined) expect(minutes).toBeGreaterThan(0)
      for (const step of steps.filter((one) => one.uses !== undefined))
        expect(step.uses).toMatch(/^actions\/[\w-]+@v\d+$/)
    }
  })

  it.each(workflows)('$file leaves no credentials in the checkout', ({ jobs }) => {
    const checkouts = Object.values(jobs).flatMap(({ steps = [] }) =>
      steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')),
    )
    for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false })
  })

  it('test on the oldest supported Node.js and on newer ones', () => {
    const test = workflows.find(({ file }) => file.endsWith('/test.yml'))
    expect(test?.jobs['node']?.strategy?.matrix.node).toEqual(['22.19', '24', '26'])
  })

  it('run scripts that exist', () => {
    const commands = workflows.flatMap(({ jobs }) =>
      Object.values(jobs).flatMap(({ steps = [] }) => steps.map((step) => step.run ?? '')),
    )
    const used = commands.flatMap((command) =>
      Array.from(command.matchAll(/\bnpm (?:run )?(test|[\w:]+(?= --|$))/g), ([, name = '']) => name),
    )
    const own = used.filter((name) => !['ci', 'pack', 'publish'].includes(name))
    expect(own).toEqual(expect.arrayContaining(['check', 'test', 'release:check']))
    for (const name of own) expect(Object.keys(scripts)).toContain(name)
    for (const file of commands.flatMap((command) => command.match(/\bscripts\/[\w-]+\.ts/g) ?? []))
      expect(read(file)).not.toBe('')
  })
})
