import { Notice } from '../parts/notice.tsx'
import { PlaceLink } from '../parts/place-link.tsx'

export function NoIndex({ directory }: { readonly directory: string }) {
  return (
    <Notice title="Nothing is indexed yet">
      <p>Make the index of this crawl, and search again:</p>
      <pre>
        <code>npx orbweaver index {directory}</code>
      </pre>
      <p>
        The <PlaceLink to="/statistics">statistics</PlaceLink> need no index.
      </p>
    </Notice>
  )
}
