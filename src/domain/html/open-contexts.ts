import { type Tag, tagNamed } from './tags.ts'

const ANNOTATION_XML = tagNamed('annotation-xml')
const DESC = tagNamed('desc')
const FOREIGN_OBJECT = tagNamed('foreignobject')
const MATH = tagNamed('math')
const SVG = tagNamed('svg')
const TEMPLATE = tagNamed('template')
const TITLE = tagNamed('title')
const HTML_IN_SVG = new Set([FOREIGN_OBJECT, DESC, TITLE])
const TEXT_IN_MATH = new Set(['mi', 'mn', 'mo', 'ms', 'mtext'].map(tagNamed))

/**
 * The open elements that change the meaning of what they contain: `<svg>` and `<math>`, where other rules apply; the
 * elements inside those that go back to HTML; and `<template>`, whose content is not part of the page.
 *
 * No other element is tracked. That is what makes a scanner out of a parser, and its one price: where the HTML inside
 * such a context is itself badly nested, we may leave the context earlier than a browser does.
 */
export class OpenContexts {
  /** In `<svg>` or `<math>` proper. */
  foreign = false
  /** In a `<template>`, at any depth: nothing counts. */
  inert = false
  /** Text is not for readers: in a template, or in an image. */
  textHidden = false
  readonly #stack: Tag[] = []
  #templates = 0

  get depth(): number {
    return this.#stack.length
  }

  /** Whether `<![CDATA[` has a meaning here. */
  get allowsCdata(): boolean {
    const top = this.#top
    return top !== 0 && top !== TEMPLATE && top !== FOREIGN_OBJECT && top !== ANNOTATION_XML
  }

  /** Deeper than any real page nests them, further ones are not tracked: leaving a context stays cheap. */
  open(tag: Tag): void {
    if (this.#stack.length === MAX_DEPTH) return
    this.#stack.push(tag)
    if (tag === TEMPLATE) this.#templates++
    this.#update()
  }

  /** The end tag of a context: leaves the innermost one of that name and all inside it. A template is a wall. */
  close(tag: Tag): void {
    const at = this.#stack.lastIndexOf(tag)
    if (at === -1) return
    if (tag !== TEMPLATE && this.#stack.lastIndexOf(TEMPLATE) > at) return
    this.#cut(at)
  }

  /** Out of `<svg>` and `<math>`, to the HTML around. */
  breakOut(): void {
    let length = this.#stack.length
    while (length > 0 && isRoot(this.#stack[length - 1] ?? 0)) length--
    this.#cut(length)
  }

  /**
   * Whether a start tag in foreign content opens a place where HTML is allowed again, or another image or formula inside
   * the first. (`annotation-xml` does so by its attributes: not decided here.)
   */
  isOpenedInForeign(tag: Tag): boolean {
    return this.#top === SVG ? tag === SVG || HTML_IN_SVG.has(tag) : tag === MATH || TEXT_IN_MATH.has(tag)
  }

  get #top(): Tag {
    return this.#stack.at(-1) ?? 0
  }

  #cut(length: number): void {
    while (this.#stack.length > length) if (this.#stack.pop() === TEMPLATE) this.#templates--
    this.#update()
  }

  #update(): void {
    const top = this.#top
    this.foreign = isRoot(top)
    this.inert = this.#templates > 0
    this.textHidden = this.inert || top === SVG || top === TITLE || top === DESC
  }
}

const MAX_DEPTH = 64

function isRoot(tag: Tag): boolean {
  return tag === SVG || tag === MATH
}
