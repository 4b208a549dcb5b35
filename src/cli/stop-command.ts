import { Command } from 'commander'
import type { MakeCommand } from './command-context.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'

const HELP = `
The crawl stops as with Ctrl-C: requests in flight are finished and stored, and the next orbweaver crawl or run resumes. For the workers
of a crawl in Redis, use orbweaver drain.

Examples:
  orbweaver stop crawl`

export const stopCommand: MakeCommand = (context) =>
  addJsonOption(new Command('stop').argument('<dir>', 'Crawl directory'))
    .addHelpText('after', helpNotes({ 1: 'no crawl is running' }, HELP))
    .action(async (dir: string, flags: { readonly json: boolean }) => {
      const { actOnDirectory } = await import('./directory-action.ts')
      await actOnDirectory(dir, 'stop', flags, context)
    })
