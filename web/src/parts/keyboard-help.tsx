import { useKeys } from './use-keys.ts'

export const HELP_ID = 'keys'

export function openHelp(): void {
  const dialog = document.getElementById(HELP_ID)
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal()
}

const KEYS: ReadonlyArray<readonly [keys: readonly string[], what: string]> = [
  [['/'], 'search'],
  [['j', '↓'], 'next result'],
  [['k', '↑'], 'previous result'],
  [['Enter'], 'show the stored page'],
  [['o'], 'open the page on the web'],
  [['i'], 'details about the URL'],
  [['n', 'p'], 'next page, previous page'],
  [['Esc'], 'close the preview'],
  [['?'], 'show this list'],
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
