import type { DocumentReader } from './document-reader.ts'
import { DocumentText } from './document-text.ts'
import { externalTargets, OoxmlPackage } from './ooxml-package.ts'
import { readPackageXml } from './package-xml.ts'
import { RunReader } from './read-docx.ts'

/** PowerPoint: the text of each slide in the order of the presentation, followed by its notes. */
export const readPptx: DocumentReader = (document, limits) => {
  const office = new OoxmlPackage(document, limits)
  const text = new DocumentText(limits)
  for (const slide of slidesOf(office)) {
    const relationships = office.relationshipsOf(slide)
    readPackageXml(office.archive, slide, new RunReader(text, externalTargets(relationships)))
    text.separate('\n')
    for (const { type, target, external } of relationships) {
      if (type !== 'notesSlide' || external) continue
      const targets = externalTargets(office.relationshipsOf(target))
      readPackageXml(office.archive, target, new RunReader(text, targets))
      text.separate('\n')
    }
  }
  return { ...office.properties(), ...text.content() }
}

function slidesOf(office: OoxmlPackage): string[] {
  const slides = new Map(
    office
      .relationshipsOf(office.main)
      .filter(({ type, external }) => type === 'slide' && !external)
      .map(({ id, target }) => [id, target]),
  )
  const ordered = new Set<string>()
  readPackageXml(office.archive, office.main, {
    open: (name, attribute) => {
      const slide = name === 'sldId' ? slides.get(attribute('r:id') ?? '') : undefined
      if (slide !== undefined) ordered.add(slide)
    },
  })
  return [...ordered]
}
