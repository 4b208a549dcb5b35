import type {
  CompletedValues,
  DescribedArgument,
  DescribedCommand,
  DescribedOption,
} from './described-command.ts'

export function zshCompletion(commands: readonly DescribedCommand[]): string {
  return `#compdef orbweaver
# Completion of orbweaver for zsh, printed by "orbweaver completion zsh".

_orbweaver() {
  local curcontext="$curcontext" state line
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`).join('\n')}
  )
  _arguments -C \\
    '(- *)'{-h,--help}'[Show this help]' \\
    '(- *)'{-V,--version}'[Print the version]' \\
    '1: :->command' \\
    '*:: :->arguments'
  case $state in
    command) _describe -t commands 'orbweaver command' commands ;;
    arguments)
      case $words[1] in
${commands.map(commandCase).join('\n')}
      esac
      ;;
  esac
}

if [[ $funcstack[1] == _orbweaver ]]; then
  _orbweaver "$@"
else
  compdef _orbweaver orbweaver
fi
`
}

function commandCase({ name, arguments: all, options }: DescribedCommand): string {
  const specs = [...options.flatMap(optionSpecs), ...all.map(argumentSpec)]
  return `        ${name})
          _arguments -s \\
${specs.map((spec) => `            ${quote(spec)}`).join(' \\\n')}
          ;;`
}

/** Every option may be repeated: the program says which may not. */
function optionSpecs({ long, short, placeholder, values, description }: DescribedOption): string[] {
  const explained = `[${description.replaceAll(/[[\]\\]/g, '\\$&')}]`
  const isOptional = placeholder?.startsWith('[') === true
  const value =
    placeholder === undefined
      ? ''
      : `:${isOptional ? ':' : ''}${withoutColons(placeholder.replaceAll(/[<>[\]]/g, ''))}:${action(values)}`
  const names = placeholder === undefined ? [short, long] : [short && `${short}+`, `${long}=`]
  return names.filter((flag) => flag !== undefined).map((flag) => `*${flag}${explained}${value}`)
}

function argumentSpec({ name, isVariadic, values, isRequired }: DescribedArgument, position: number): string {
  const place = isVariadic ? '*' : String(position + 1)
  return `${place}:${isRequired || isVariadic ? '' : ':'}${withoutColons(name)}:${action(values)}`
}

/** A space: nothing is completed, and the name of the value is shown. */
function action(values: CompletedValues): string {
  if (values === 'directories') return '_files -/'
  if (values === 'files') return '_files'
  return values === 'none' ? ' ' : `(${values.join(' ')})`
}

function withoutColons(text: string): string {
  return text.replaceAll(':', '\\:')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
