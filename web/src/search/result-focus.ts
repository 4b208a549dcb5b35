/** The result that has the focus is the chosen one. */

export const SEARCH_BOX_ID = 'search'

/** Moves the focus from result to result. */
export function moveBy(step: 1 | -1): boolean {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.result h2 a')]
  const current = links.findIndex((link) => link.closest('.result')?.contains(document.activeElement))
  const next = links[current === -1 ? (step === 1 ? 0 : -1) : current + step]
  if (next === undefined) {
    if (step === -1 && current === 0) searchBox()?.focus()
    return step === -1 && current === 0
  }
  next.focus({ preventScroll: true })
  next.closest('.result')?.scrollIntoView({ block: 'nearest' })
  return true
}

export function chosenResult(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('.result') ?? null
}

export function focusResult(id: string): void {
  const results = [...document.querySelectorAll<HTMLElement>('.result')]
  results
    .find((result) => result.dataset['id'] === id)
    ?.querySelector<HTMLElement>('h2 a')
    ?.focus()
}

export function searchBox(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>(`#${SEARCH_BOX_ID}`)
}
