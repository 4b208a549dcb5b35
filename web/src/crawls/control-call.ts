import type { ErrorResponse, ServeAccess } from '../../../src/adapters/serve/responses.ts'

/** Sends a change to the control API. Returns why it failed; `undefined` if it was carried out. */
export async function controlCall(
  access: ServeAccess | undefined,
  path: string,
  body: object = {},
): Promise<string | undefined> {
  try {
    const response = await fetch(`/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-orbweaver-csrf': access?.csrfToken ?? '' },
      body: JSON.stringify(body),
    })
    return response.ok ? undefined : ((await response.json()) as ErrorResponse).error.message
  } catch {
    return 'The server cannot be reached.'
  }
}
