import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../testing/command-line.ts'
import { requirePrograms } from '../testing/require-programs.ts'

/** The scripts of `orbweaver completion` in real shells: a line is typed, Tab is pressed, and the shell runs what it has made of it. */

const RUNNER = join(import.meta.dirname, '../testing/pseudo-terminal.py')
const COLUMNS = '200'

interface ShellSetup {
  readonly args: readonly string[]
  /** Loads the script, and defines a function in place of the program that prints its arguments. */
  readonly setUp: (script: string) => string
}

const SHELLS: Readonly<Record<string, ShellSetup>> = {
  bash: {
    args: ['--noprofile', '--norc', '-i'],
    setUp: (script) => `source ${script}; orbweaver() { printf 'got<%s>\\n' "$*"; }; printf 'read%s\\n' y`,
  },
  zsh: {
    args: ['-f', '-i'],
    setUp: (script) =>
      `autoload -Uz compinit; compinit -u -D; source ${script}; orbweaver() { printf 'got<%s>\\n' "$*"; }; printf 'read%s\\n' y`,
  },
  fish: {
    args: ['--no-config', '-i'],
    setUp: (script) =>
      `source ${script}; function orbweaver; printf 'got<%s>\\n' "$argv"; end; printf 'read%s\\n' y`,
  },
}

/** Each line as it is typed before Tab, and the arguments that the program gets. */
const LINES: ReadonlyArray<readonly [string, string]> = [
  ['inj', 'inject'],
  ['help inj', 'help inject'],
  ['crawl my-crawl --sco', 'crawl my-crawl --scope'],
  ['crawl my-crawl --scope dom', 'crawl my-crawl --scope domain'],
  ['crawl my-crawl --scope=dom', 'crawl my-crawl --scope=domain'],
  ['crawl my-c', 'crawl my-crawl'],
  ['crawl --delay 2 my-c', 'crawl --delay 2 my-crawl'],
  ['inject my-crawl see', 'inject my-crawl seeds.txt'],
  ['export my-crawl --format mark', 'export my-crawl --format markdown'],
  ['export my-crawl --config see', 'export my-crawl --config seeds.txt'],
  // A directory that is named like a command.
  ['index crawl --al', 'index crawl --all'],
  ['new spi', 'new spider'],
  ['mergedb my-crawl other/my-', 'mergedb my-crawl other/my-old-crawl'],
  // Neither a URL nor a number can be completed.
  ['explain my-crawl see', 'explain my-crawl see'],
  ['crawl my-crawl --delay see', 'crawl my-crawl --delay see'],
]

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-completion-'))
const shells = requirePrograms(...Object.keys(SHELLS))
const hasPython = spawnSync('python3', ['-c', 'import pty, termios']).status === 0

beforeAll(() => {
  for (const name of ['my-crawl', 'other/my-old-crawl', 'crawl'])
    mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'seeds.txt'), '')
})
afterAll(() => rmSync(folder, { recursive: true }))

async function typeLines(shell: string, { args, setUp }: ShellSetup): Promise<string[]> {
  const script = join(folder, `completion.${shell}`)
  const { stdout, exitCode, stderr } = await command(['completion', shell])
  expect(exitCode, stderr).toBe(0)
  writeFileSync(script, stdout)
  const env = { ...process.env, TERM: 'xterm', HOME: folder, HISTFILE: '', LC_ALL: 'C.UTF-8' }
  const child = spawn('python3', [RUNNER, COLUMNS, shell, ...args], { cwd: folder, env })
  let output = ''
  let wake = () => {}
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    wake()
  })
  const type = (text: string) => child.stdin.write(`type ${JSON.stringify(text)}\n`)
  const isWritten = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const [, found] = pattern.exec(output) ?? []
      if (found !== undefined) return found
      if (child.exitCode !== null) throw new Error(`${shell} ended: ${output}`)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  try {
    type(`${setUp(script)}\n`)
    await isWritten(/(ready)\r/)
    const lines: string[] = []
    for (const [typed] of LINES) {
      output = ''
      type(`orbweaver ${typed}\t\n`)
      // zsh removes the slash after a directory when the line is entered.
      lines.push((await isWritten(/got<([^>%]*)>\r/)).replace(/[/ ]*$/, ''))
    }
    return lines
  } finally {
    child.kill('SIGKILL')
  }
}

describe.runIf(hasPython).each(Object.entries(SHELLS))('in %s', (shell, setup) => {
  it.runIf(shells.has(shell))(
    'completes commands, options, values, files and directories, and nothing else',
    async () => {
      expect(await typeLines(shell, setup)).toEqual(LINES.map(([, completed]) => completed))
    },
  )
})
