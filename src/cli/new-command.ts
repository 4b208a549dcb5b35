import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Argument, Command, Option } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatJson } from '../base/format-values.ts'
import type { CommandContext } from './command-context.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { usableUrl } from './option-values.ts'
import { SPIDER_TEMPLATES, type SpiderTemplate } from './spider-templates.ts'

interface NewFlags {
  readonly dir: string
  readonly url: string
  readonly template: SpiderTemplate
  readonly json: boolean
}

const HELP = `
The spider is ready to run; its comments explain what to change. Existing files are not overwritten.

Templates:
  pages       handlers that select items and links
  list        lists with a next page, and a page for each entry
  crawl       link rules that select the pages
  sitemap     pages listed in the sitemap of a site
  login       pages behind a form to log in
  api         JSON responses
  files       items with images and other files
  javascript  pages that a browser renders before they are parsed

Examples:
  orbweaver new spider quotes --url https://example.org/
  orbweaver new spider shop --template sitemap --url https://example.org/ --dir spiders`

export function newCommand({ terminal }: CommandContext): Command {
  const command = new Command('new')
    .addArgument(new Argument('<what>', 'What to create').choices(['spider']))
    .argument('<name>', 'Name of the spider: letters, digits, - and _')
    .option('--url <url>', 'Start URL', 'https://example.com/')
    .addOption(
      new Option('--template <template>', 'Template').choices(Object.keys(SPIDER_TEMPLATES)).default('pages'),
    )
    .option('--dir <folder>', 'Directory to create the file in', '.')
  return addJsonOption(command)
    .addHelpText('after', helpNotes({ 2: 'usage error, or the file already exists' }, HELP))
    .action(async (_what: string, name: string, { dir, url, template, json }: NewFlags) => {
      checkName(name)
      const text = SPIDER_TEMPLATES[template]({ name, url: usableUrl(url) })
      const file = join(dir, `${name}.ts`)
      await writeNew(dir, file, text)
      const place = template === 'files' ? ` --files ${name}-files` : ''
      const next = `orbweaver run ${file}${place} --cache --max-pages 5 --out -`
      terminal.out(json ? formatJson({ file, name, template }) : `${file} was created; to try it: ${next}\n`)
    })
}

function checkName(name: string): void {
  if (/^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$/.test(name)) return
  const hint = name.endsWith('.ts') ? '; leave out the extension .ts' : ''
  throw new ConfigurationError(
    'SPIDER_FILE_INVALID',
    `${JSON.stringify(name)} is not a valid spider name: use letters, digits, "-" and "_"${hint}`,
  )
}

async function writeNew(dir: string, file: string, text: string): Promise<void> {
  await mkdir(dir, { recursive: true })
  try {
    await writeFile(file, text, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new ConfigurationError(
      'SPIDER_FILE_INVALID',
      `${file} already exists: choose another name, or move the file`,
      {
        cause: error,
      },
    )
  }
}
