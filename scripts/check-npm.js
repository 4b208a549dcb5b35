// Plain JavaScript, as clean-dist.js.

/**
 * npm leaves out optional packages whose `engines` do not match the Node.js that it runs on, and the bundler needs one of them:
 * `^20.19.0 || >=22.12.0`. Scripts run on the Node.js that the project installs, so that only npm knows the other one.
 */
const [, version = '', major = 0, minor = 0] =
  / node\/(v(\d+)\.(\d+)\.\S+)/.exec(process.env['npm_config_user_agent'] ?? '') ?? []
const isBefore = (known, least) => Number(major) === known && Number(minor) < least

if (version !== '' && (major < 20 || isBefore(20, 19) || Number(major) === 21 || isBefore(22, 12))) {
  process.stderr.write(
    `npm runs on Node.js ${version} and has left out packages that the build needs. Install Node.js 22 or newer, and run npm ci again.\n`,
  )
  process.exitCode = 1
}
