import { useEffect, useState } from 'preact/hooks'

/** Whether the window is as narrow as a phone, where tables become cards. */
export function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches)
  useEffect(() => {
    const query = matchMedia(NARROW)
    const update = () => setNarrow(query.matches)
    query.addEventListener('change', update)
    return () => query.removeEventListener('change', update)
  }, [])
  return isNarrow
}

/** As in the style sheets. */
const NARROW = '(width < 48rem)'
