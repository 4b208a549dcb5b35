import { useLayoutEffect } from 'preact/hooks'

/**
 * Handles single keys, by `KeyboardEvent.key`. Ignored while the focus is in an input (except `Escape`), while a dialog is open, and with Ctrl, Alt or
 * Meta, which belong to the browser. A handler returns `false` to ignore the key.
 */
export function useKeys(handlers: Readonly<Record<string, () => unknown>>): void {
  // Not `useEffect`, which runs after the page is drawn: a key could be pressed before.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return
      if (document.querySelector('dialog[open]') !== null) return
      if (event.key !== 'Escape' && isTyping(event.target)) return
      const handle = Object.hasOwn(handlers, event.key) ? handlers[event.key] : undefined
      if (handle !== undefined && handle() !== false) event.preventDefault()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  })
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select')
}
