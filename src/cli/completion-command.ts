import { Argument, Command } from 'commander'
import { formatJson } from '../base/format-values.ts'
import type { CommandContext } from './command-context.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'

type Shell = 'bash' | 'zsh' | 'fish'

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish']

const HELP = `
Prints a script that completes commands, options, their values, and names of files and directories. Install it once, and again
after an update:

  bash  orbweaver completion bash > ~/.local/share/bash-completion/completions/orbweaver
        (or, without the package bash-completion, add to ~/.bashrc: source <(orbweaver completion bash))
  zsh   orbweaver completion zsh > ~/.zsh/completions/_orbweaver
        (and in ~/.zshrc, before compinit: fpath=(~/.zsh/completions $fpath))
  fish  orbweaver completion fish > ~/.config/fish/completions/orbweaver.fish

Examples:
  orbweaver completion bash`

export function completionCommand({ terminal, describeCommands }: CommandContext): Command {
  const command = new Command('completion').addArgument(
    new Argument('<shell>', 'Shell to print the script for').choices(SHELLS),
  )
  return addJsonOption(command)
    .addHelpText('after', helpNotes({}, HELP))
    .action(async (shell: Shell, { json }: { readonly json: boolean }) => {
      const { completionScript } = await import('./completion-script.ts')
      const script = completionScript(shell, await describeCommands())
      terminal.out(json ? formatJson({ shell, script }) : script)
    })
}
