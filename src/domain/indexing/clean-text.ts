/**
 * Text as every index takes it: lone surrogates and code points that are no characters are gone, and control characters other than tab and
 * line ends (XML has no place for them, and a form feed stands between two words) are spaces.
 */
export function cleanText(text: string): string {
  return text.replace(CONTROLS, ' ').replace(NO_CHARACTERS, '')
}

const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g
const NO_CHARACTERS = /[\p{Cs}\p{Noncharacter_Code_Point}]/gu
