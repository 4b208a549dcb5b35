import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Notice } from './notice.tsx'

/** A page whose code is loaded when it is first shown. */
export function latePage<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function LatePage(props: Props) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
    useEffect(() => {
      if (loaded !== undefined) return
      load().then(
        (page) => {
          loaded = page
          setState('loaded')
        },
        () => setState('failed'),
      )
    }, [])
    if (loaded !== undefined) {
      const Page = loaded
      return <Page {...props} />
    }
    if (state === 'loading') return <p class="loading">Loading…</p>
    return (
      <Notice title="This page cannot be loaded">
        <p>The server cannot be reached, or it was updated. Reload the page when it runs.</p>
      </Notice>
    )
  }
}
