import { createRequire } from 'node:module'

/**
 * Loads a package when it is first needed, without a promise. For packages that take long to load and that most commands do not need.
 * Node.js keeps what it has loaded.
 */
export function requireLate<T>(name: string): T {
  return require(name) as T
}

const require = createRequire(import.meta.url)
