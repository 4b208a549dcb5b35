import { join } from 'node:path'
import { defineConfig } from 'vite'

// biome-ignore lint/style/noDefaultExport: Vite reads it by that name
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: join(import.meta.dirname, '../dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    // The page's CSP knows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: false,
    // The terms of what is bundled go with it.
    license: { fileName: 'licenses.md' },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8090' } },
})
