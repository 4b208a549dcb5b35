import { useState } from 'preact/hooks'

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

const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' }
const SIGNS: Readonly<Record<Theme, string>> = { auto: '◐', light: '○', dark: '●' }

export function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme)
  return (
    <button
      type="button"
      class="quiet-button"
      aria-label={`Colours: ${theme}. Change`}
      title={`Colours: ${theme}`}
      onClick={() => {
        storeTheme(NEXT[theme])
        setTheme(NEXT[theme])
      }}
    >
      {SIGNS[theme]}
    </button>
  )
}
