import type { Json } from '../../base/json.ts'
import { ElementNode, type RootNode, type TreeNode } from '../selectors/nodes.ts'
import { readableText } from '../selectors/readable-text.ts'
import { nextBelow } from '../selectors/walk.ts'

/** An item while it is read: `type`, and the values of its properties. */
type Item = { [property: string]: Json }

const MAX_ITEMS = 200
const MAX_VALUES = 2_000
const MAX_VALUE_CHARS = 10_000

/**
 * The items of HTML microdata, outermost ones. An item is `{ "@type": …, property: value }`; a property with several values
 * has a list. `itemref` is not followed.
 */
export function readMicrodata(root: RootNode): Item[] {
  const items: Item[] = []
  const byElement = new Map<TreeNode, Item>()
  let values = 0
  for (let node = nextBelow(root, root); node !== null; node = nextBelow(node, root)) {
    if (!(node instanceof ElementNode)) continue
    const isItem = node.attribute('itemscope') !== undefined
    const names = node.attribute('itemprop')
    if (!isItem && names === undefined) continue
    const around = itemAround(node, byElement)
    const value = isItem ? itemOf(node) : undefined
    if (value !== undefined) {
      if (byElement.size >= MAX_ITEMS) return items
      byElement.set(node, value)
      if (names === undefined || around === undefined) items.push(value)
    }
    if (names === undefined || around === undefined || values++ >= MAX_VALUES) continue
    for (const name of names.split(/\s+/)) if (name !== '') addValue(around, name, value ?? valueIn(node))
  }
  return items
}

function itemAround(element: ElementNode, items: ReadonlyMap<TreeNode, Item>): Item | undefined {
  for (let at = element.parent; at !== null; at = at.parent) {
    const item = items.get(at)
    if (item !== undefined) return item
  }
  return undefined
}

function itemOf(element: ElementNode): Item {
  const type = element.attribute('itemtype')?.trim()
  return type ? { '@type': type } : {}
}

function addValue(item: Item, name: string, value: Json): void {
  if (!Object.hasOwn(item, name)) {
    Object.defineProperty(item, name, { value, enumerable: true, configurable: true, writable: true })
    return
  }
  const earlier = item[name] as Json
  item[name] = Array.isArray(earlier) ? [...earlier, value] : [earlier, value]
}

const VALUE_ATTRIBUTES: Readonly<Record<string, string>> = {
  ...{
    meta: 'content',
    a: 'href',
    area: 'href',
    link: 'href',
    object: 'data',
    data: 'value',
    meter: 'value',
  },
  ...{ audio: 'src', embed: 'src', iframe: 'src', img: 'src', source: 'src', track: 'src', video: 'src' },
  time: 'datetime',
}

function valueIn(element: ElementNode): string {
  const attribute = VALUE_ATTRIBUTES[element.name]
  const value = attribute === undefined ? undefined : element.attribute(attribute)
  return (value?.trim() ?? element.attribute('content') ?? readableText(element, 'html')).slice(
    0,
    MAX_VALUE_CHARS,
  )
}
