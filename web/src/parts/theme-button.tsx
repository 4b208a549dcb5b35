import { useState } from 'preact/hooks'
import { storedTheme, storeTheme, type Theme } from './theme.ts'

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
