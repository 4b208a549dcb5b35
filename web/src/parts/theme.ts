/** `auto` follows the system. */
export type Theme = 'auto' | 'light' | 'dark'

const KEY = 'orbweaver-theme'

export function storedTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'auto'
}

export function storeTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  applyTheme(theme)
}

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
}
