import { render } from 'preact'
import { App } from './app.tsx'
import { applyTheme, storedTheme } from './parts/theme-button.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/search.css'
import './styles/welcome.css'
import './styles/preview.css'
import './styles/crawl.css'
import './styles/charts.css'

applyTheme(storedTheme())
const root = document.getElementById('page')
if (root !== null) render(<App />, root)
