#!/usr/bin/env node
// Old syntax on purpose: this file must load on any Node to say which one is needed.
var version = process.versions.node.split('.')
var major = Number(version[0])
if (major > 22 || (major === 22 && Number(version[1]) >= 19)) {
  import('../dist/cli/start.cjs').then((cli) => cli.start(process.argv.slice(2)))
} else {
  process.stderr.write(
    'orbweaver needs Node.js 22.19 or newer; this is ' +
      process.version +
      '. Install a newer one, or run it with: npx -p node@24 orbweaver\n',
  )
  process.exitCode = 2
}
