/**
 * A script that returns the HTML of a page after its scripts ran, whether it was cut, its address and its base.
 *
 * Open shadow roots are flattened: their elements take the place of the children of their host, and slots that of their assigned elements, as the browser
 * shows them. So links, selectors, text and the index need to know nothing about shadow roots. Declarative shadow roots
 * (`<template shadowrootmode>`) would be closer to the page, but all readers skip templates. Styles of shadow roots are left out, as
 * they would apply to the whole page. Closed roots cannot be read.
 */
export function pageScript(maxChars: number): string {
  return `(() => {
    ${FLATTEN}
    const type = document.doctype
    const root = document.documentElement
    const html = (type ? '<!DOCTYPE ' + type.name + '>' : '') + (root ? flattened(root).outerHTML : '')
    const isCut = html.length > ${maxChars}
    return [isCut ? html.slice(0, ${maxChars}) : html, isCut, location.href, document.baseURI]
  })()`
}

/** A page without open shadow roots is not copied. The copy belongs to an inert document: no script of a custom element runs in it. */
const FLATTEN = `
  const flattened = (root) => {
    try {
      return hasShadow(root) ? copyOf(root, false) : root
    } catch {
      // Nested too deeply.
      return root
    }
  }
  const hasShadow = (root) => {
    const elements = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT)
    for (let element = elements.currentNode; element; element = elements.nextNode()) if (element.shadowRoot) return true
    return false
  }
  const inert = document.implementation.createHTMLDocument('')
  const copyOf = (node, inShadow) => {
    if (node.nodeType !== Node.ELEMENT_NODE || node.localName === 'template') return inert.importNode(node, true)
    const copy = inert.importNode(node, false)
    const isInner = inShadow || node.shadowRoot !== null
    for (const child of (node.shadowRoot ?? node).childNodes) addTo(copy, child, isInner)
    return copy
  }
  const addTo = (parent, node, inShadow) => {
    if (inShadow && (node.localName === 'style' || (node.localName === 'link' && node.relList.contains('stylesheet')))) return
    if (inShadow && node.localName === 'slot' && node.getRootNode() instanceof ShadowRoot) {
      const assigned = node.assignedNodes()
      for (const child of assigned.length > 0 ? assigned : node.childNodes) addTo(parent, child, inShadow)
    } else parent.append(copyOf(node, inShadow))
  }
`
