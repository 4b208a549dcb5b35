import { useState } from 'preact/hooks'
import { addressTokenProblem, login } from '../parts/login.ts'

/** Exchanges the token of the server for the permission to act. */
export function TokenForm() {
  const [problem, setProblem] = useState(addressTokenProblem() ?? '')
  return (
    <form
      class="token-form"
      onSubmit={(event) => {
        event.preventDefault()
        const token = new FormData(event.currentTarget).get('token')
        void login(String(token ?? '')).then((reason) => {
          if (reason === undefined) globalThis.location.reload()
          else setProblem(reason)
        })
      }}
    >
      <input name="token" type="password" aria-label="Token" autocomplete="off" required />
      <button type="submit">Send</button>
      <p class="warning-text" role="status">
        {problem}
      </p>
    </form>
  )
}
