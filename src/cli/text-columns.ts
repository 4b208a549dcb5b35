/** The number of columns that text takes on a terminal: two for wide characters (East Asian, emoji), none for combining marks. */
export function textColumns(text: string): number {
  let columns = 0
  for (const character of text) columns += characterColumns(character)
  return columns
}

/** The beginning of text that takes at most `columns`. */
export function fitColumns(text: string, columns: number): string {
  let used = 0
  let end = 0
  for (const character of text) {
    used += characterColumns(character)
    if (used > columns) return text.slice(0, end)
    end += character.length
  }
  return text
}

function characterColumns(character: string): number {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (/\p{Mark}|\p{Default_Ignorable_Code_Point}/u.test(character)) return 0
  return WIDE.test(character) || /\p{Emoji_Presentation}/u.test(character) ? 2 : 1
}

/** The East Asian Width classes W and F, by block. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
