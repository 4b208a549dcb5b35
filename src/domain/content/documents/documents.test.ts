import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTestDocument, testDocument } from '../../../../testing/read-test-document.ts'

const OOXML = 'application/vnd.openxmlformats-officedocument'
const ODF = 'application/vnd.oasis.opendocument'
const REPORT = [
  'Harvest report',
  'The orchard gave 42 baskets of apples — more than in any year before. Größe, naïve, 日本語.',
  'See the figures and maps of the fields.',
  'Apples\t42',
  'Pears\t17',
  'First item',
  'Second item',
]
const SHEET = [
  'sheet',
  'Fruit\tBaskets\tPicked',
  'Apples\t42\t2026-11-15',
  'Pears\t17.5\t2026-11-16',
  'Größe, naïve\t3\t2026-01-02',
]
const SLIDES = [
  'First slide about apples',
  'See the figures online',
  'Remember the pears',
  'Second slide: naïve 日本語',
]

/** File, type, lines of text. */
const DOCUMENTS: ReadonlyArray<readonly [string, string, readonly string[]]> = [
  ['sample.odt', `${ODF}.text`, REPORT],
  ['sample.docx', `${OOXML}.wordprocessingml.document`, REPORT],
  ['sample.doc', 'application/msword', REPORT],
  // The bullets of a list are text in RTF; the cells of a table in EPUB are blocks of HTML.
  ['sample.rtf', 'application/rtf', REPORT.map((line) => line.replace(/^\w+ item/, '•\t$&'))],
  ['sample.epub', 'application/epub+zip', REPORT.flatMap((line) => line.split('\t'))],
  ['sheet.ods', `${ODF}.spreadsheet`, SHEET],
  ['sheet.xlsx', `${OOXML}.spreadsheetml.sheet`, SHEET],
  ['sheet.xls', 'application/vnd.ms-excel', SHEET],
  ['slides.odp', `${ODF}.presentation`, SLIDES],
  ['slides.pptx', `${OOXML}.presentationml.presentation`, SLIDES],
  // Notes come after all slides.
  ['slides.ppt.gz', 'application/vnd.ms-powerpoint', [0, 1, 3, 2].map((i) => SLIDES[i] ?? '')],
]

describe.each(DOCUMENTS)('%s', (file, type, lines) => {
  it('is recognised and read', async () => {
    const reading = await readTestDocument(testDocument(file))
    expect(reading).toMatchObject({ status: 'parsed', kind: 'document', type, truncated: false })
    expect(reading.text.split('\n')).toEqual(lines)
  })

  it('is read up to the limit of text', async () => {
    const { text, truncated } = await readTestDocument(testDocument(file), { scan: { maxTextChars: 10 } })
    expect({ text, truncated }).toEqual({ text: lines.join('\n').slice(0, 10).trimEnd(), truncated: true })
  })

  it('never breaks the parser, however its bytes are changed', async () => {
    const bytes = testDocument(file)
    const place = fc.nat(bytes.length - 1)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(place, fc.nat(255)), { maxLength: 20 }),
        place,
        async (changes, length) => {
          const damaged = Buffer.from(bytes)
          for (const [at, value] of changes) damaged[at] = value
          const readings = await Promise.all(
            [damaged, damaged.subarray(0, length)].map((input) => readTestDocument(input)),
          )
          for (const { status, reason, detail } of readings)
            if (status === 'failed') expect([reason, detail]).not.toContain('reader-failed')
        },
      ),
      { numRuns: 30 },
    )
  })
})

it.each(['sample.odt', 'sample.docx', 'sample.doc', 'sample.rtf'])(
  'gives the properties of %s',
  async (file) => {
    const { title, description, metadata } = await readTestDocument(testDocument(file))
    expect([title, description]).toEqual(['Harvest report', 'Yields of the orchard'])
    expect(metadata).toMatchObject({
      author: 'Ada Example',
      keywords: expect.stringMatching(/^harvest,? orchard$/),
    })
  },
)

it.each([
  ['sample.odt', 'figures'],
  ['sample.docx', 'figures'],
  ['sample.epub', 'figures'],
  ['slides.pptx', 'figures'],
  ['slides.odp', 'figures'],
  ['sample.doc', ''],
  ['sample.rtf', ''],
  ['slides.ppt.gz', ''],
])('gives the links of %s, with anchor text if the format has it', async (file, anchor) => {
  const { links } = await readTestDocument(testDocument(file))
  expect(links[0]).toEqual({ url: 'https://example.org/figures.html', anchor, rel: [], kind: 'document' })
})

it.each(['application/octet-stream', 'application/zip', 'text/plain', 'application/msword'])(
  'recognises a document that is sent as %s',
  async (contentType) => {
    const { type } = await readTestDocument(testDocument('sample.docx'), { contentType })
    expect(type).toBe(`${OOXML}.wordprocessingml.document`)
  },
)
