/**
 * `fingerprint64` in SQL. The same as `md5_number_upper`, a macro that writes the number as text of 128 binary digits and reads it again,
 * which takes three times as long.
 * @param text an expression
 */
export function fingerprint64Sql(text: string): string {
  return `(md5_number(${text}) & ${LOW_64_BITS})::UBIGINT`
}

const LOW_64_BITS = `${2n ** 64n - 1n}::UHUGEINT`
