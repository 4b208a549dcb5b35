import { nearestName } from '../adapters/config/nearest-name.ts'
import type { FileOptions } from '../flows/spider/file-options.ts'

const OPTIONS: Readonly<
  Record<keyof FileOptions, { readonly fits: (value: unknown) => boolean; readonly hint: string }>
> = {
  store: { fits: isText, hint: 'a folder or s3://bucket/prefix' },
  maxBytes: { fits: isAmount, hint: 'a number of at least 0' },
  types: { fits: areTypes, hint: "a list of content types such as ['image/*', 'application/pdf']" },
  expiresDays: { fits: isAmount, hint: 'a number of at least 0' },
  timeoutSeconds: { fits: isAmount, hint: 'a number of at least 0' },
}

/** The problems of `files` of a spider. */
export function* fileProblems(files: unknown): Generator<string> {
  if (files === undefined || isText(files)) return
  if (typeof files !== 'object' || files === null || Array.isArray(files)) {
    yield `files is ${JSON.stringify(files)}; give a folder, s3://bucket/prefix, or options such as { maxBytes: 10_000_000 }`
    return
  }
  for (const [name, value] of Object.entries(files)) {
    const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name as keyof FileOptions] : undefined
    if (option === undefined) {
      const near = nearestName(name, Object.keys(OPTIONS))
      yield `files.${name}: unknown name${near === undefined ? '' : `; did you mean ${near}?`}`
    } else if (value !== undefined && !option.fits(value))
      yield `files.${name} is ${JSON.stringify(value)}; give ${option.hint}`
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0
}

function areTypes(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every((type) => isText(type) && /^[^/\s]+\/[^/\s]+$/.test(String(type)))
  )
}
