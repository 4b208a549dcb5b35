import { placeOf } from './location.ts'
import { PlaceLink } from './place-link.tsx'

/** A URL that leads to what is known about it. */
export function UrlLink({ url }: { readonly url: string }) {
  return (
    <PlaceLink to={placeOf('/url', { url })} class="url-link" title={url}>
      {url}
    </PlaceLink>
  )
}
