const HYPERLINK = /HYPERLINK\s+"([^"]*)"/i

/** The target of a field of Word that is a link: `HYPERLINK "http://a.test/" \o "Title"`. */
export function fieldLink(instruction: string): string | undefined {
  return HYPERLINK.exec(instruction)?.[1]
}
