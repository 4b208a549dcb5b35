import { HELP_ID, openHelp } from './open-help.ts'
import { useKeys } from './use-keys.ts'

const KEYS: ReadonlyArray<readonly [keys: readonly string[], what: string]> = [
  [['/'], 'search'],
  [['j', '↓'], 'next result'],
  [['k', '↑'], 'result before'],
  [['Enter'], 'show the stored page'],
  [['o'], 'open the result on the web'],
  [['i'], 'what is known about the result'],
  [['n', 'p'], 'next page, page before'],
  [['Esc'], 'close what is open'],
  [['?'], 'this list'],
]

export function KeyboardHelp() {
  useKeys({ '?': openHelp })
  return (
    <dialog id={HELP_ID} class="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}
