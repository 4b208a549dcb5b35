import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

function run(node: string | undefined) {
  const { npm_config_user_agent: _, ...env } = process.env
  const agent = node === undefined ? {} : { npm_config_user_agent: `npm/10.8.2 node/${node} linux x64` }
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/check-npm.js')], {
    env: { ...env, ...agent },
    encoding: 'utf8',
  })
  return { status, stderr }
}

it.each(['v16.20.2', 'v18.20.8', 'v20.18.3', 'v21.7.3', 'v22.11.0'])(
  'says that npm on %s leaves out packages',
  (node) => {
    const { status, stderr } = run(node)
    expect({ status, lines: stderr.trim().split('\n').length }).toEqual({ status: 1, lines: 1 })
    expect(stderr).toContain(`npm runs on Node.js ${node} and`)
  },
)

it.each(['v20.19.0', 'v22.12.0', 'v22.19.0', 'v24.0.0', 'v26.10.0', undefined])('accepts %s', (node) => {
  expect(run(node)).toEqual({ status: 0, stderr: '' })
})

it('knows the range of the optional packages of the bundler', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly engines?: { readonly node: string } }>>
  }
  expect(packages['node_modules/@rolldown/binding-linux-x64-gnu']?.engines?.node).toBe(
    '^20.19.0 || >=22.12.0',
  )
})
