/** The text of the first element with this name. The responses of S3 have neither attributes of interest nor CDATA. */
export function xmlText(xml: string, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</${name}>`).exec(xml) ?? []
  return text === undefined ? undefined : unescapeXml(text)
}

/** The contents of all elements with this name, which do not contain one of the same name. */
export function xmlElements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>(.*?)</${name}>`, 'gs'))].map(
    ([, content = '']) => content,
  )
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return NAMED[name] ?? whole
    return String.fromCodePoint(
      Math.min(decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal), 0x10ffff),
    )
  })
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
