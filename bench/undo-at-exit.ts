/**
 * Has something undone, at once, when the process ends before its time: Ctrl-C must leave no server behind and no files.
 * Of several, the newest goes first: a process before the folder it writes to.
 * @returns call it when it was undone as usual
 */
export function undoAtExit(undo: () => void): () => void {
  process.prependOnceListener('exit', undo)
  return () => process.off('exit', undo)
}
