import { main } from '../../src/cli/main.ts'
import { dieAtStep } from './die-at-step.ts'

// The command as bin/orbweaver.js runs it, from the sources. The first argument says where to die: see die-at-step.ts.
const [death = '', ...args] = process.argv.slice(2)
dieAtStep(death)
await main(args)
