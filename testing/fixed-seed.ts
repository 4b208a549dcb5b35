import fc from 'fast-check'

// Property tests use other inputs in each run on a developer's machine, where a failure prints the seed that repeats it. In CI they always use
// the same: a rare failure must not reject a change that has nothing to do with it.
if (process.env['CI'] !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 })
