import { DocumentError } from './documents/document-reader.ts'

/** The language of a text as two letters, `undefined` if it cannot be told. */
export type LanguageDetector = (text: string) => Promise<string | undefined>

/** Shorter texts are names and numbers. */
const MIN_CHARS = 40
/** More does not change the result; see docs/formats.md. */
const SAMPLE_CHARS = 4_000

/** Detects languages with the package eld, which is loaded with the first text. */
export function createLanguageDetector(load: () => Promise<EldLibrary> = loadEld): LanguageDetector {
  let library: Promise<EldLibrary> | undefined
  return async (text) => {
    if (text.length < MIN_CHARS) return undefined
    library ??= load()
    const { eld } = await library
    // From the middle: the first lines of a page are often names and menus.
    const start = Math.max(0, (text.length - SAMPLE_CHARS) >> 1)
    const result = eld.detect(text.slice(start, start + SAMPLE_CHARS))
    return result.language !== '' && result.isReliable() ? result.language : undefined
  }
}

/** @throws DocumentError if the package is not installed */
export async function loadEld(): Promise<EldLibrary> {
  try {
    return (await import('eld/small')) as EldLibrary
  } catch {
    throw new DocumentError('library-missing', 'parse.detectLanguage needs the package eld: npm install eld')
  }
}

/** The part of eld that is used. */
interface EldLibrary {
  readonly eld: {
    detect(text: string): { readonly language: string; isReliable(): boolean }
  }
}
