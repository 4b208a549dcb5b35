import type { CompletedValues, DescribedCommand, DescribedOption } from './described-command.ts'

export function fishCompletion(commands: readonly DescribedCommand[]): string {
  const lines = [
    ...commands.map(({ name, summary }) => complete('__orbweaver_has_no_command', `-a ${name}`, summary)),
    complete('__orbweaver_has_no_command', '-s h -l help', 'Show this help'),
    complete('__orbweaver_has_no_command', '-s V -l version', 'Print the version'),
    ...optionLines(commands),
    ...commands.flatMap(argumentLines),
  ]
  return `# Completion of orbweaver for fish, printed by "orbweaver completion fish".

function __orbweaver_has_no_command
    test (count (commandline -opc)) -eq 1
end

# The command is the first word: another one may be the name of a directory.
function __orbweaver_command_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and contains -- $words[2] $argv
end

# Whether the next argument of a command has this position (from 1): __orbweaver_argument_is <command> <position> <options with a value...>
function __orbweaver_argument_is
    __orbweaver_command_is $argv[1]; or return 1
    set -l words (commandline -opc)
    set -l position 1
    set -l is_value 0
    for word in $words[3..-1]
        if test $is_value -eq 1
            set is_value 0
        else if contains -- $word $argv[3..-1]
            set is_value 1
        else if not string match -q -- '-?*' $word
            set position (math $position + 1)
        end
    end
    test $position -eq $argv[2]
end

complete -c orbweaver -f
${lines.join('\n')}
`
}

/** One line for an option that several commands have. */
function optionLines(commands: readonly DescribedCommand[]): string[] {
  const owners = new Map<string, { readonly option: DescribedOption; readonly names: string[] }>()
  for (const { name, options } of commands)
    for (const option of options) {
      const key = JSON.stringify(option)
      const known = owners.get(key) ?? { option, names: [] }
      known.names.push(name)
      owners.set(key, known)
    }
  return [...owners.values()].map(({ option, names }) => {
    const flags = `${option.short === undefined ? '' : `-s ${option.short.slice(1)} `}-l ${option.long.slice(2)}`
    return complete(
      `__orbweaver_command_is ${names.join(' ')}`,
      flags + valueFlags(option),
      option.description,
    )
  })
}

/** A value that may be left out is completed only after \`=\`, as fish does. */
function valueFlags({ placeholder, values }: DescribedOption): string {
  if (!placeholder?.startsWith('<')) return ''
  if (values === 'none') return ' -x'
  return values === 'files' ? ' -r -F' : ` -x -a ${quote(candidates(values))}`
}

function argumentLines({ name, arguments: all, options }: DescribedCommand): string[] {
  const valued = options.flatMap(({ long, short, placeholder }) =>
    placeholder?.startsWith('<') ? [long, ...(short === undefined ? [] : [short])] : [],
  )
  return all.flatMap(({ isVariadic, values }, position) => {
    if (values === 'none') return []
    const isBefore = (first: number) => ['__orbweaver_argument_is', name, String(first), ...valued].join(' ')
    const earlier = all.slice(0, position).map((_, i) => `not ${isBefore(i + 1)}`)
    const condition = isVariadic
      ? [`__orbweaver_command_is ${name}`, ...earlier].join('; and ')
      : isBefore(position + 1)
    return [
      values === 'files'
        ? `complete -c orbweaver -n ${quote(condition)} -F`
        : `complete -c orbweaver -n ${quote(condition)} -a ${quote(candidates(values))}`,
    ]
  })
}

function candidates(values: Exclude<CompletedValues, 'files' | 'none'>): string {
  return values === 'directories' ? '(__fish_complete_directories (commandline -ct))' : values.join(' ')
}

function complete(condition: string, what: string, description: string): string {
  return `complete -c orbweaver -n ${quote(condition)} ${what} -d ${quote(description)}`
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}
