import { openHelp } from './keyboard-help.tsx'
import { Mark } from './mark.tsx'
import { PlaceLink } from './place-link.tsx'
import { ThemeButton } from './theme-button.tsx'

export function Header({ pathname }: { readonly pathname: string }) {
  return (
    <header class="top">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <PlaceLink to="/" class="brand" label="Orbweaver, search">
        <Mark />
        <span>Orbweaver</span>
      </PlaceLink>
      <nav aria-label="Main">
        <PlaceLink to="/" current={pathname === '/'}>
          Search
        </PlaceLink>
        <PlaceLink to="/statistics" current={pathname === '/statistics'}>
          Statistics
        </PlaceLink>
      </nav>
      <span class="spring" />
      <button type="button" class="quiet-button" aria-label="Keys" title="Keys (?)" onClick={openHelp}>
        ?
      </button>
      <ThemeButton />
    </header>
  )
}
