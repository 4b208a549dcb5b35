import type { Address, Email } from 'postal-mime'
import { scanHtml } from '../../html/scan-html.ts'
import { plainTextLinks } from '../plain-text-links.ts'
import { DocumentProperties } from './document-properties.ts'
import {
  type DocumentContent,
  DocumentError,
  type DocumentLimits,
  type DocumentReader,
} from './document-reader.ts'
import { DocumentText } from './document-text.ts'

/** One message (RFC 5322): its headers, its text, and the names of its attachments. */
export const readMail: DocumentReader = async ({ bytes }, limits) => {
  const text = new DocumentText(limits)
  const email = await parseMail(bytes, await loadLibrary())
  addMail(text, email, limits)
  return { ...propertiesOf(email), ...text.content() }
}

/** A mailbox file: all its messages, one after the other. */
export const readMbox: DocumentReader = async ({ bytes }, limits) => {
  const library = await loadLibrary()
  const text = new DocumentText(limits)
  let first: Email | undefined
  for (const message of messagesOf(bytes)) {
    if (text.isFull) {
      text.markTruncated()
      break
    }
    const email = await parseMail(message, library)
    first ??= email
    addMail(text, email, limits)
  }
  return { ...(first && propertiesOf(first)), ...text.content() }
}

type Library = typeof import('postal-mime')

async function loadLibrary(): Promise<Library> {
  try {
    return await import('postal-mime')
  } catch {
    throw new DocumentError(
      'library-missing',
      'reading mail needs the package postal-mime: npm install postal-mime',
    )
  }
}

async function parseMail(bytes: Uint8Array, { default: PostalMime }: Library): Promise<Email> {
  try {
    // Pictures and other attachments are not read.
    return await PostalMime.parse(bytes.slice(), { maxNestingDepth: 50 })
  } catch (error) {
    throw new DocumentError('broken', error instanceof Error ? error.message : String(error))
  }
}

function addMail(text: DocumentText, email: Email, limits: DocumentLimits): void {
  const { subject = '', from, to = [], cc = [], date = '', attachments } = email
  addLine(text, 'Subject', subject)
  addLine(text, 'From', from === undefined ? '' : addressText(from))
  addLine(text, 'To', [...to, ...cc].map(addressText).join(', '))
  addLine(text, 'Date', date)
  const { body, links } = bodyOf(email, limits)
  text.add(body.replaceAll('\r\n', '\n').trim())
  text.separate('\n')
  for (const { href, anchor } of links) text.link(href, anchor)
  for (const { filename } of attachments) addLine(text, 'Attachment', filename ?? '')
}

function addLine(text: DocumentText, name: string, value: string): void {
  if (value !== '') text.add(`${name}: ${value}`)
  text.separate('\n')
}

function addressText({ name, address }: Address): string {
  if (address === undefined || address === '') return name
  return name === '' ? address : `${name} <${address}>`
}

/** Plain text is preferred: the HTML of a mail has the same text, with trackers and layout. */
function bodyOf({ text, html }: Email, limits: DocumentLimits) {
  if (text !== undefined && text.trim() !== '')
    return { body: text, links: plainTextLinks(text).map((href) => ({ href, anchor: '' })) }
  if (html === undefined) return { body: '', links: [] }
  const scan = scanHtml(html, { maxTextChars: limits.maxTextChars, maxLinks: limits.maxLinks })
  return { body: scan.text, links: scan.links.filter(({ kind }) => kind === 'a') }
}

function propertiesOf({ subject, from, date }: Email): Pick<DocumentContent, 'title' | 'metadata'> {
  const properties = new DocumentProperties()
  properties.set('title', subject ?? '')
  properties.set('author', from === undefined ? '' : addressText(from))
  properties.set('published', date ?? '')
  return properties.properties()
}

const FROM_LINE = Buffer.from('\nFrom ')

/** Messages start with a line `From <address> <date>`; such lines in a message are written as `>From`. */
function* messagesOf(bytes: Uint8Array): Generator<Uint8Array> {
  const mailbox = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let start = 0
  while (start < mailbox.length) {
    const next = mailbox.indexOf(FROM_LINE, start)
    const end = next < 0 ? mailbox.length : next + 1
    const message = mailbox.subarray(start, end)
    const lineEnd = message.indexOf(0x0a)
    if (message.toString('latin1', 0, 5) !== 'From ') yield message
    else if (lineEnd >= 0) yield message.subarray(lineEnd + 1)
    start = end
  }
}
