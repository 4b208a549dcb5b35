export const HELP_ID = 'keys'

export function openHelp(): void {
  const dialog = document.getElementById(HELP_ID)
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal()
}
