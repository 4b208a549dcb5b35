import { CrawlError } from '../../base/crawl-error.ts'
import type { Selection } from './selection.ts'

/** Values by the names of the fields: they take the place of what the form holds. `null` takes a field out. */
export type FormFields = Readonly<Record<string, string | readonly string[] | null>>

export interface SubmitOptions {
  /**
   * The button that is pressed, by its `name` or `id`; `false`: none, as when a script submits.
   * @default the first submit button there is
   */
  readonly click?: string | false
}

/** The request that a form makes: fields are in the URL of a GET and in the body of a POST. */
export type FormSubmission =
  | {
      readonly method: 'GET'
      readonly url: string
      readonly body?: undefined
      readonly contentType?: undefined
    }
  | { readonly method: 'POST'; readonly url: string; readonly body: string; readonly contentType: string }

/**
 * The page has no such form, or the form has no such button.
 * Remedy: Look at the forms of the page in `orbweaver shell <url>`.
 */
export class FormMissing extends CrawlError {
  readonly code = 'FORM_MISSING'
  readonly retryable = false
}

/**
 * What a browser would send for a `<form>` with these fields filled in: Scrapy's `FormRequest.from_response`. Of several forms the
 * first is meant. Files are not sent.
 *
 * @param baseUrl what the form's `action` is relative to
 * @throws FormMissing when `found` holds no `<form>`, or the form has no button called `click`
 */
export function formSubmission(
  found: Selection,
  fields: FormFields,
  baseUrl: string,
  { click }: SubmitOptions = {},
): FormSubmission {
  const form = [...found].find((one) => one.tagName === 'form')
  if (form === undefined) throw new FormMissing('the selector finds no <form>')
  const controls = controlsOf(form)
  const button = pressed(controls, click)
  const entries = withFields(
    controls.flatMap((control) => entriesOf(control, control === button)),
    fields,
  )

  const action = button?.attr('formaction') ?? form.attr('action') ?? ''
  const method = (button?.attr('formmethod') ?? form.attr('method') ?? '').trim().toLowerCase()
  const url = URL.parse(action, baseUrl)?.href ?? baseUrl
  if (method === 'post') {
    const encoding = button?.attr('formenctype') ?? form.attr('enctype')
    return { method: 'POST', url, ...encodeEntries(entries, encoding) }
  }
  return { method: 'GET', url: withQuery(url, entries) }
}

/** The enabled fields inside the form without a `form` attribute for another form, then those elsewhere that name this form. */
function controlsOf(form: Selection): Selection[] {
  const id = form.attr('id')
  const inside = [...form.css(ENABLED)].filter((control) => (control.attr('form') ?? id) === id)
  const outside =
    id === undefined ? [] : [...form.root.css(OUTSIDE)].filter((control) => control.attr('form') === id)
  return [...inside, ...outside]
}

const ENABLED =
  ':is(input, select, textarea, button):not([disabled], datalist *, fieldset[disabled] > :not(legend:first-of-type), fieldset[disabled] > :not(legend:first-of-type) *)'
const OUTSIDE = `${ENABLED}[form]:not(form *)`

function pressed(controls: readonly Selection[], click: string | false | undefined): Selection | undefined {
  if (click === false) return undefined
  const buttons = controls.filter((control) => BUTTONS.has(typeOf(control)))
  if (click === undefined) return buttons[0]
  const button = buttons.find((one) => one.attr('name') === click || one.attr('id') === click)
  if (button === undefined) throw new FormMissing(`the form has no submit button called '${click}'`)
  return button
}

const BUTTONS = new Set(['submit', 'image'])
/** Only the one that is pressed is sent, or none ever. */
const NOT_SENT = new Set([...BUTTONS, 'button', 'reset', 'file'])

/** `select` and `textarea` for themselves, else what the `type` says. */
function typeOf(control: Selection): string {
  const { tagName = '' } = control
  if (tagName !== 'input' && tagName !== 'button') return tagName
  const type = control.attr('type')?.trim().toLowerCase() ?? ''
  return tagName === 'button' && !/^(?:button|reset)$/.test(type) ? 'submit' : type
}

function entriesOf(control: Selection, isPressed: boolean): FormEntry[] {
  const name = control.attr('name') ?? ''
  const type = typeOf(control)
  if (type === 'image' && isPressed) {
    const prefix = name === '' ? '' : `${name}.`
    return [`${prefix}x`, `${prefix}y`].map((coordinate) => ({ name: coordinate, value: '0' }))
  }
  if (name === '' || (NOT_SENT.has(type) && !isPressed)) return []
  return valuesOf(control, type).map((value) => ({ name, value }))
}

function valuesOf(control: Selection, type: string): string[] {
  const value = control.attr('value')
  switch (type) {
    case 'checkbox':
    case 'radio':
      return control.attr('checked') === undefined ? [] : [value ?? 'on']
    case 'select':
      return chosenOptions(control)
    case 'textarea':
      return [control.textContent().replace(/^\n/, '')]
    default:
      return [value ?? '']
  }
}

/** Of a list of which one can be chosen the last that is marked counts, or the first there is. */
function chosenOptions(select: Selection): string[] {
  const options = [...select.css('option:not([disabled], optgroup[disabled] *)')]
  const marked = options.filter((option) => option.attr('selected') !== undefined)
  const isMultiple = select.attr('multiple') !== undefined
  const chosen = isMultiple ? marked : [marked.at(-1) ?? options[0]]
  return chosen.flatMap((option) => (option === undefined ? [] : [option.attr('value') ?? option.text()]))
}

/** Given values replace those of the field in place; new fields come last. Line ends become CR LF, as in browsers. */
function withFields(entries: readonly FormEntry[], fields: FormFields): FormEntry[] {
  const given = new Map(Object.entries(fields))
  const placed = new Set<string>()
  const filled: FormEntry[] = []
  const put = (name: string, values: string | readonly string[] | null) => {
    placed.add(name)
    for (const value of values === null ? [] : [values].flat()) filled.push({ name, value })
  }
  for (const entry of entries) {
    const values = given.get(entry.name)
    if (values === undefined) filled.push(entry)
    else if (!placed.has(entry.name)) put(entry.name, values)
  }
  for (const [name, values] of given) if (!placed.has(name)) put(name, values)
  return filled.map(({ name, value }) => ({ name: crlf(name), value: crlf(value) }))
}

function crlf(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n')
}

/** The fields take the place of a query that the action has. */
function withQuery(action: string, entries: readonly FormEntry[]): string {
  const url = URL.parse(action)
  if (url === null) return action
  url.search = encodeQuery(entries)
  return url.href
}

/** A field as it is sent. */
interface FormEntry {
  readonly name: string
  readonly value: string
}

interface FormBody {
  readonly body: string
  readonly contentType: string
}

/** The body of a POST. An unknown or missing encoding means the default one. */
function encodeEntries(entries: readonly FormEntry[], encoding: string | undefined): FormBody {
  switch (encoding?.trim().toLowerCase()) {
    case 'multipart/form-data':
      return multipart(entries)
    case 'text/plain': {
      const body = entries.map(({ name, value }) => `${name}=${value}\r\n`).join('')
      return { body, contentType: 'text/plain' }
    }
    default:
      return { body: encodeQuery(entries), contentType: 'application/x-www-form-urlencoded' }
  }
}

/** As in a URL: a space is `+`. */
function encodeQuery(entries: readonly FormEntry[]): string {
  return entries.map(({ name, value }) => new URLSearchParams([[name, value]]).toString()).join('&')
}

function multipart(entries: readonly FormEntry[]): FormBody {
  const parts = entries.map(
    ({ name, value }) => `Content-Disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value}\r\n`,
  )
  const boundary = boundaryNotIn(parts)
  const body = `${parts.map((part) => `--${boundary}\r\n${part}`).join('')}--${boundary}--\r\n`
  return { body, contentType: `multipart/form-data; boundary=${boundary}` }
}

function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}

/** The same for the same fields, so that a request made again is the same request. */
function boundaryNotIn(parts: readonly string[]): string {
  let boundary = 'orbweaver-form'
  while (parts.some((part) => part.includes(boundary))) boundary += '-'
  return boundary
}
