import { Help, type Option } from 'commander'

const plainHelp = new Help()

/** The description with `(choices: a, b; default: a)`. The default of a boolean flag is not shown. */
export function optionDescription(option: Option): string {
  const text = plainHelp
    .optionDescription(option)
    .replace(/ \(default: (?:true|false)\)$/, '')
    .replace(/(?:\(default: (\S+)\) )?\(choices: ([^()]*?)(?:, default: ("[^"]*"))?\)$/, describeChoices)
  return option.mandatory ? `${text} (required)` : text
}

function describeChoices(_: string, inText = '', choices: string, given = inText): string {
  return `(choices: ${choices}${given === '' ? '' : `; default: ${given}`})`.replaceAll('"', '')
}
