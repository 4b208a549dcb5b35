import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../src/cli/commands.ts'
import { requirePrograms } from '../testing/require-programs.ts'

const PAGE = join(import.meta.dirname, '../man/orbweaver.1')

describe.runIf(requirePrograms('mandoc').has('mandoc'))('the manual page', () => {
  const mandoc = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('mandoc', [...args, PAGE], { encoding: 'utf8' })
    return { status, stdout, stderr }
  }

  it('has no findings of mandoc', () => {
    expect(mandoc('-Tlint')).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('shows a section for each command', () => {
    const { stdout } = mandoc('-Tascii', '-Owidth=100')
    const text = stdout.replaceAll(/.\x08/g, '')
    for (const { name } of COMMANDS) expect(text).toContain(`\n   orbweaver ${name}\n`)
    expect(text).toMatch(/--scope <scope>\s+Follow links to the hosts of the seeds/)
  })
})
