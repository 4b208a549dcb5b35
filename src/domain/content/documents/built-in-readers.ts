import type { DocumentReader } from './document-reader.ts'
import type { DocumentFormat } from './document-types.ts'

/** Each is loaded with the first document of its format. PDF has options of its own: `createPdfReader`. */
const LOADERS: Readonly<Record<Exclude<DocumentFormat, 'pdf'>, () => Promise<DocumentReader>>> = {
  docx: async () => (await import('./read-docx.ts')).readDocx,
  xlsx: async () => (await import('./read-xlsx.ts')).readXlsx,
  pptx: async () => (await import('./read-pptx.ts')).readPptx,
  odf: async () => (await import('./read-odf.ts')).readOdf,
  epub: async () => (await import('./read-epub.ts')).readEpub,
  rtf: async () => (await import('./read-rtf.ts')).readRtf,
  mail: async () => (await import('./read-mail.ts')).readMail,
  mbox: async () => (await import('./read-mail.ts')).readMbox,
  doc: async () => (await import('./read-doc.ts')).readDoc,
  xls: async () => (await import('./read-xls.ts')).readXls,
  ppt: async () => (await import('./read-ppt.ts')).readPpt,
}

export function loadReader(format: Exclude<DocumentFormat, 'pdf'>): Promise<DocumentReader> {
  return LOADERS[format]()
}
