import type { AddHelpTextContext, Command } from 'commander'

/** Texts of exit codes that differ from the usual ones. A command has an exit code 1 only if it is described here. */
export interface ExitCodeTexts {
  readonly 0?: string
  readonly 1?: string
  readonly 2?: string
  readonly 3?: string
}

const USUAL_TEXTS = { 0: 'success', 2: 'usage or configuration error', 3: 'failure' }

/**
 * The end of a command's help, for `addHelpText('after', …)`: `text`, then the exit codes. Paragraphs are wrapped at the width of the terminal;
 * indented lines, such as examples, stay as they are.
 */
export function helpNotes(exitCodes: ExitCodeTexts = {}, text = ''): (context: AddHelpTextContext) => string {
  return ({ command }) => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? 80
    const paragraphs = text.trim() === '' ? [] : text.trim().split(/\n\n+/)
    return [
      ...paragraphs.map((paragraph) => wrapParagraph(paragraph, width)),
      exitCodeLines(exitCodes, width),
    ]
      .map((paragraph) => `\n${paragraph}`)
      .join('\n')
  }
}

function exitCodeLines(texts: ExitCodeTexts, width: number): string {
  const lines = Object.entries({ ...USUAL_TEXTS, ...texts }).map(
    ([code, text]) => `  ${code}  ${wrapText(text, width - 5).join('\n     ')}`,
  )
  return ['Exit codes:', ...lines].join('\n')
}

function wrapParagraph(paragraph: string, width: number): string {
  return /^ /m.test(paragraph) ? paragraph : wrapText(paragraph, width).join('\n')
}

/** Lines of at most `width` characters; a longer word has a line of its own. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** Adds options under a heading of their own in the help. */
export function addOptionGroup(
  command: Command,
  heading: string,
  add: (command: Command) => Command,
): Command {
  return add(command.optionsGroup(`${heading}:`)).optionsGroup('')
}

/** `--json`, which all commands have. */
export function addJsonOption(command: Command, description = 'Print one JSON document'): Command {
  return addOptionGroup(command, 'General', (group) => group.option('--json', description, false))
}
