import { expect, it } from 'vitest'
import { command } from '../../testing/command-line.ts'
import { markdownTable } from '../../testing/markdown-table.ts'
import { COMMAND_GROUPS, COMMANDS } from './commands.ts'

/** After a change of the help of a command, update docs/commands.md with `npx vitest run --project unit src/cli/command-reference -u`. */
it('has the same help texts as docs/commands.md', async () => {
  await expect(await reference()).toMatchFileSnapshot('../../docs/commands.md')
})

it.each(COMMANDS)('lists the exit codes of $name', async ({ name }) => {
  expect((await command([name, '--help'])).stdout).toContain('\nExit codes:\n')
})

async function reference(): Promise<string> {
  const sections = [
    '# Commands',
    `This page lists all commands by task, with their options as printed by \`orbweaver <command> --help\`.
[The cycle](cycle.md) explains the crawl commands step by step, [Spiders](spiders.md) and
[Fleet](fleet.md) the others. [Configuration](configuration.md#all-keys) names the setting and the
environment variable of each flag.`,
    `With \`--json\`, a command prints exactly one JSON document to standard output, whatever happens. Logs,
progress and \`error: <message>\` go to standard error.`,
    `If the command cannot do its work, the document is the error, with a stable code
([error codes](error-codes.md)). The exit code is the same as without \`--json\`:`,
    '```json\n{ "error": { "code": "OPTION_INVALID", "message": "--abandon needs the names of the segments" } }\n```',
    `A crawl, a fetch or a spider that was given work and fetched nothing has its usual document, with the
cause as \`error\`: \`NOTHING_FETCHED\`.`,
    '## All commands',
  ]
  for (const { heading, commands } of COMMAND_GROUPS) {
    const rows = commands.map(({ name, summary }) => [`[\`${name}\`](#${name})`, summary])
    sections.push(`**${title(heading)}**`, markdownTable(['command', 'purpose'], rows))
  }
  for (const { heading, commands } of COMMAND_GROUPS) {
    sections.push(`## ${title(heading)}`)
    for (const { name } of commands)
      sections.push(`### ${name}`, textBlock((await command([name, '--help'])).stdout))
  }
  return `${sections.join('\n\n')}\n`
}

/** The heading of the help, without its colon. */
function title(heading: string): string {
  return heading.replace(/:$/, '')
}

function textBlock(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``
}
