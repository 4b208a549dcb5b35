/** A command line that a user can copy into a shell. */
export function quotedWords(words: readonly string[], platform: NodeJS.Platform = process.platform): string {
  return words.map((word) => shellQuote(word, platform)).join(' ')
}

/** One word of a command line. Windows: in double quotes, which cmd.exe and PowerShell both understand; elsewhere in single quotes. */
export function shellQuote(word: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32')
    return /^[\w@+=:,./\\-]+$/.test(word)
      ? word
      : `"${word.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
