import type { CompletedValues, DescribedCommand } from './described-command.ts'

/** Needs neither the package bash-completion nor a newer bash than that of macOS (3.2). */
export function bashCompletion(commands: readonly DescribedCommand[]): string {
  return `# Completion of orbweaver for bash, printed by "orbweaver completion bash".

# Sets "values" to the values of the option $2 of the command $1: words, "/" for directories, "." for files, or nothing.
# Fails if the option has no value, or may be given without one.
_orbweaver_option_values() {
  case "$1 $2" in
${optionCases(commands)}
    *) return 1 ;;
  esac
}

# Sets "values" to the values of the argument at position $2 (from 0) of the command $1.
_orbweaver_argument_values() {
  values=
  case "$1 $2" in
${argumentCases(commands)}
  esac
}

# Sets "flags" to the options of the command $1.
_orbweaver_flags() {
  flags=--help
  case "$1" in
${commands.map(({ name, options }) => `    ${name}) flags=${quote(options.map(({ long }) => long).join(' '))} ;;`).join('\n')}
  esac
}

_orbweaver() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]}
  local values flags i position=0 IFS=$' \\t\\n'
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W ${quote([...commands.map(({ name }) => name), '--help', '--version'].join(' '))} -- "$current"))
    return
  fi
  # "--flag=value" is three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ! _orbweaver_option_values "$command" "$previous"; then
    if [[ $current == -* ]]; then
      _orbweaver_flags "$command"
      COMPREPLY=($(compgen -W "$flags" -- "$current"))
      return
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do
      case \${COMP_WORDS[i]} in
        -?*)
          if [[ \${COMP_WORDS[i + 1]} == = ]]; then
            i=$((i + 2))
          elif _orbweaver_option_values "$command" "\${COMP_WORDS[i]}"; then
            i=$((i + 1))
          fi
          ;;
        *) position=$((position + 1)) ;;
      esac
    done
    _orbweaver_argument_values "$command" "$position"
  fi
  case $values in
    '') ;;
    / | .)
      IFS=$'\\n'
      compopt -o filenames 2>/dev/null
      if [[ $values == / ]]; then
        COMPREPLY=($(compgen -d -- "$current"))
      else
        COMPREPLY=($(compgen -f -- "$current"))
      fi
      ;;
    *) COMPREPLY=($(compgen -W "$values" -- "$current")) ;;
  esac
}

complete -F _orbweaver orbweaver
`
}

/** One case for all options with the same values. */
function optionCases(commands: readonly DescribedCommand[]): string {
  const patterns = new Map<string, string[]>()
  for (const { name, options } of commands)
    for (const { long, short, placeholder, values } of options) {
      if (!placeholder?.startsWith('<')) continue
      const all = patterns.get(valueText(values)) ?? []
      for (const flag of [long, short]) if (flag !== undefined) all.push(quote(`${name} ${flag}`))
      patterns.set(valueText(values), all)
    }
  return [...patterns].map(([values, all]) => `    ${all.join(' | ')}) values=${quote(values)} ;;`).join('\n')
}

function argumentCases(commands: readonly DescribedCommand[]): string {
  return commands
    .flatMap(({ name, arguments: all }) =>
      all.map(({ isVariadic, values }, position) => {
        const places = isVariadic ? `${quote(`${name} `)}*` : quote(`${name} ${position}`)
        return `    ${places}) values=${quote(valueText(values))} ;;`
      }),
    )
    .join('\n')
}

function valueText(values: CompletedValues): string {
  if (values === 'directories') return '/'
  if (values === 'files') return '.'
  return values === 'none' ? '' : values.join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
