import { useKeys } from './use-keys.ts'

export const HELP_ID = 'keys'

export function openHelp(): void {
  const dialog = document.getElementById(HELP_ID)
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal()
}

type KeyList = ReadonlyArray<readonly [keys: readonly string[], what: string]>

const KEYS: ReadonlyArray<readonly [page: string, keys: KeyList]> = [
  [
    'Search',
    [
      [['/'], 'search'],
      [['j', '↓'], 'next result'],
      [['k', '↑'], 'previous result'],
      [['Enter'], 'show the stored page'],
      [['o'], 'open the page on the web'],
      [['i'], 'details about the URL'],
      [['n', 'p'], 'next page, previous page'],
      [['Esc'], 'close the preview'],
    ],
  ],
  [
    'Live',
    [
      [['x'], 'pause or resume the crawl'],
      [['r'], 'change the time range of the charts'],
      [['←', '→'], 'read values, when the charts have the focus'],
      [['/'], 'filter hosts'],
      [['n', 'p'], 'next page, previous page of hosts'],
    ],
  ],
  ['Everywhere', [[['?'], 'show this list']]],
]

export function KeyboardHelp() {
  useKeys({ '?': openHelp })
  return (
    <dialog id={HELP_ID} class="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      {KEYS.map(([page, keys]) => (
        <section key={page} aria-label={page}>
          <h3>{page}</h3>
          <dl>
            {keys.map(([names, what]) => (
              <div key={what}>
                <dt>
                  {names.map((name) => (
                    <kbd key={name}>{name}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}
