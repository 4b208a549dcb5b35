import type { ErrorResponse, LoginRequest } from '../../../src/adapters/serve/responses.ts'

/** Sends the token of the server, which then sets a cookie. Returns why it was rejected; `undefined` if it was accepted. */
export async function login(token: string): Promise<string | undefined> {
  try {
    const response = await fetch('/api/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-orbweaver-csrf': 'login' },
      body: JSON.stringify({ token } satisfies LoginRequest),
    })
    return response.ok ? undefined : ((await response.json()) as ErrorResponse).error.message
  } catch {
    return 'The server cannot be reached.'
  }
}

/** Logs in with a token in the fragment of the address (`#token=…`), and removes it from the address and the history. */
export async function loginFromAddress(): Promise<void> {
  const token = tokenIn(location.hash)
  if (token === undefined) return
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  addressProblem = await login(token)
}

/** Why the token in the address was rejected; `undefined` if it was accepted, or if there was none. */
export function addressTokenProblem(): string | undefined {
  return addressProblem
}

let addressProblem: string | undefined

/** The token in a fragment. Not read as a form: a `+` in a token is not a space. */
export function tokenIn(hash: string): string | undefined {
  const [, encoded] = /^#token=(.*)$/s.exec(hash) ?? []
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
