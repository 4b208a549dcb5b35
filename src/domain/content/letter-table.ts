let table: Uint8Array | undefined

/**
 * 1 for each of the 65,536 UTF-16 code units that is a letter or digit, 0 for the others. Half of a surrogate pair is
 * neither, as in Java, whose text profiles ours must equal. Made on first use, in a few milliseconds.
 */
export function letterTable(): Uint8Array {
  table ??= Uint8Array.from({ length: 65_536 }, (_, unit) => (LETTER.test(String.fromCharCode(unit)) ? 1 : 0))
  return table
}

const LETTER = /[\p{L}\p{Nd}]/u
