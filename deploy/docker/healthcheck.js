import { get } from 'node:http'

/**
 * The health check of the image: node healthcheck.js <port…>. It exits with 1 if a server on one of these ports of this machine accepts a
 * connection, but does not respond in time or responds with an error: the process hangs. A command that does not listen on a port is
 * healthy while it runs, and Docker knows whether it runs.
 */

/** Shorter than the time limit of HEALTHCHECK in the Dockerfile. */
const TIMEOUT_MS = 8_000

/** What is wrong with the server on this port. */
function problemOf(port) {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/' }, (response) => {
      response.resume()
      resolve(response.statusCode === 200 ? undefined : `port ${port}: status ${response.statusCode}`)
    })
    request.setTimeout(TIMEOUT_MS, () => {
      resolve(`port ${port}: no response for ${TIMEOUT_MS / 1000} seconds`)
      request.destroy()
    })
    request.on('error', ({ code, message }) =>
      resolve(code === 'ECONNREFUSED' ? undefined : `port ${port}: ${message}`),
    )
  })
}

const problems = (await Promise.all(process.argv.slice(2).map(problemOf))).filter(Boolean)
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
