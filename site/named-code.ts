import type { MarkdownOptions } from 'vitepress'

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0]

/**
 * Shows the file name of a block of code (` ```ts quotes.ts `), and the blocks between `<!-- tabs: One, Two -->` and `<!-- end of tabs -->`,
 * which a code host shows one below the other, as tabs with these titles.
 */
export function namedCode(md: MarkdownIt): void {
  md.core.ruler.before('normalize', 'code-tabs', (state) => {
    state.src = state.src.replaceAll(TABS, (_, titles: string, blocks: string) => {
      const names = titles.split(', ')
      const titled = blocks.replaceAll(
        /^```(\w+).*$/gm,
        (_line, language) => `\`\`\`${language} [${names.shift()}]`,
      )
      return `::: code-group\n${titled}\n:::`
    })
  })
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const html = fence?.(tokens, index, options, env, self) ?? ''
    const [, name] = /^\w+ ([^\s[\]{}]+)$/.exec(tokens[index]?.info ?? '') ?? []
    return name === undefined
      ? html
      : `<div class="named-code"><span>${md.utils.escapeHtml(name)}</span>${html}</div>`
  }
}

const TABS = /^<!-- tabs: (.+) -->\n(.*?)^<!-- end of tabs -->$/gms
