import { expect, it } from 'vitest'
import { command } from '../../testing/command-line.ts'
import { COMMANDS } from './commands.ts'

/** After a change of a command's help: `npx vitest run --project unit src/cli/command-reference -u` writes docs/commands.md anew. */
it('keeps docs/commands.md in step with --help', async () => {
  await expect(await reference()).toMatchFileSnapshot('../../docs/commands.md')
})

it.each(COMMANDS)('tells the exit codes of $name', async ({ name }) => {
  expect((await command([name, '--help'])).stdout).toContain('\nExit codes:\n')
})

async function reference(): Promise<string> {
  const sections = [
    '# Commands',
    'What `orbweaver <command> --help` says. Every command takes `--json` and then prints exactly one JSON document; logs and progress go to\nstandard error. [The cycle](cycle.md) shows them at work.',
  ]
  for (const { name } of COMMANDS) {
    const { stdout } = await command([name, '--help'])
    sections.push(`## ${name}`, `\`\`\`text\n${stdout.trimEnd()}\n\`\`\``)
  }
  return `${sections.join('\n\n')}\n`
}
