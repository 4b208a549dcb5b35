// Old syntax on purpose: this file must load on any Node.js to say which one is needed. The command and the library load it first.
'use strict'

/** The sentence to show if this Node.js is too old; else undefined. */
exports.nodeProblem = () => {
  var version = process.versions.node.split('.')
  var major = Number(version[0])
  if (major > 22 || (major === 22 && Number(version[1]) >= 19)) return undefined
  return (
    'orbweaver needs Node.js 22.19 or newer; this is ' +
    process.version +
    '. Install a newer one, or use: npx -p node@24'
  )
}

/** Throws if this Node.js is too old for the library. */
exports.requireNode = () => {
  var problem = exports.nodeProblem()
  if (problem === undefined) return
  var error = new Error(problem + ' node <file>')
  error.code = 'NODE_TOO_OLD'
  throw error
}
