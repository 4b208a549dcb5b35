import type { Handler } from './handler.ts'
import { RULES_HANDLER } from './link-rule.ts'
import { SITEMAP_HANDLER } from './sitemap-start.ts'
import type { AnySpider } from './spider-definition.ts'

/** The handler that the spider itself defines under this name. Requests come from outside, so inherited names such as `constructor` do not count. */
export function findHandler(
  { parse, handlers = {} }: AnySpider,
  name: string,
): Handler<unknown, string> | undefined {
  if (name === 'parse') return parse
  return Object.hasOwn(handlers, name) ? handlers[name] : undefined
}

/** Why no page can go to the handler `name`, for people; `undefined` if one can. */
export function handlerFault(spider: AnySpider, name: string): string | undefined {
  const { name: spiderName, parse, handlers = {}, rules, sitemap } = spider
  const isOurs = name === RULES_HANDLER || (name === SITEMAP_HANDLER && sitemap !== undefined)
  // A spider with rules needs no handler for its start pages.
  const isStart = name === 'parse' && rules !== undefined
  if (isOurs || isStart || findHandler(spider, name) !== undefined) return undefined
  const names = [...(parse === undefined ? [] : ['parse']), ...Object.keys(handlers)]
  const has = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
  return `the spider ${spiderName} has no handler ${JSON.stringify(name)} (${has})`
}
