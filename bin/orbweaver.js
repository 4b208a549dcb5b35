#!/usr/bin/env node
// Old syntax on purpose, as in required-node.cjs.
import requiredNode from './required-node.cjs'

var problem = requiredNode.nodeProblem()
if (problem === undefined) {
  import('../dist/cli/start.cjs').then((cli) => cli.start(process.argv.slice(2)))
} else {
  process.stderr.write(problem + ' orbweaver\n')
  process.exitCode = 2
}
