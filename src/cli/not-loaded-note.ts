/** One line for a command whose result depends on rules, when the file that has them was not loaded; else `''`. */
export function notLoadedNote({ notLoaded }: { readonly notLoaded?: string | undefined }): string {
  if (notLoaded === undefined) return ''
  return `note: ${notLoaded} was not loaded, because it is code and this command only reads; defaults apply. If you trust it, add --config ${notLoaded}\n`
}
