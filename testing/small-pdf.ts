export interface SmallPdf {
  readonly title?: string
  /** One line of ASCII text for each page; no parentheses or backslashes. */
  readonly pages: readonly string[]
  /** A link on the first page. */
  readonly link?: string
  /** Whether a password is required. @default false */
  readonly encrypted?: boolean
}

/** A PDF written by hand: one line of text a page. */
export function smallPdf({ title, pages, link, encrypted = false }: SmallPdf): Uint8Array {
  const objects: string[] = []
  const add = (body: string): number => objects.push(body)
  const catalog = add('<< /Type /Catalog /Pages 2 0 R >>')
  // Filled in below, when the pages have their numbers.
  const tree = add('')
  const font = add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  const info = add(`<< /Title (${title ?? ''}) >>`)
  const annotation = add(
    `<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (${link ?? ''}) >> >>`,
  )
  const encryption = add(
    `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >>`,
  )
  const kids = pages.map((text, i) => {
    const stream = `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`
    const content = add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`)
    const links = i === 0 && link !== undefined ? `/Annots [${annotation} 0 R]` : ''
    const resources = `/Resources << /Font << /F1 ${font} 0 R >> >>`
    return add(
      `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 612 792] ${resources} /Contents ${content} 0 R ${links} >>`,
    )
  })
  objects[tree - 1] =
    `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`

  let file = '%PDF-1.4\n'
  const offsets = objects.map((body, i) => {
    const offset = file.length
    file += `${i + 1} 0 obj\n${body}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const secret = encrypted ? `/Encrypt ${encryption} 0 R` : ''
  const id = `/ID [<${'00'.repeat(16)}> <${'00'.repeat(16)}>]`
  const size = objects.length + 1
  return new Uint8Array(
    Buffer.from(
      `${file}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n` +
        `<< /Size ${size} /Root ${catalog} 0 R /Info ${info} 0 R ${id} ${secret} >>\nstartxref\n${file.length}\n%%EOF\n`,
      'latin1',
    ),
  )
}
