import { render } from 'preact'
import { App } from './app.tsx'
import { loginFromAddress, tokenIn } from './parts/login.ts'
import { applyTheme, storedTheme } from './parts/theme-button.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/search.css'
import './styles/welcome.css'
import './styles/preview.css'
import './styles/crawl.css'
import './styles/charts.css'
import './styles/live.css'
import './styles/crawls.css'

applyTheme(storedTheme())
// The address with the token was opened in a tab that already shows the page.
addEventListener('hashchange', () => tokenIn(location.hash) !== undefined && location.reload())
const root = document.getElementById('page')
void loginFromAddress().finally(() => {
  if (root !== null) render(<App />, root)
})
