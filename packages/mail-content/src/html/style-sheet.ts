import { merged, type Style, styleOf } from './visibility.ts'

/** What the rules of a mail say of an element by its class or id (`.name`, `#name`, with or without the name of the element). */
export type StyleSheet = Readonly<{
  add: (css: string) => void
  styleFor: (element: string, attributes: ReadonlyMap<string, string>) => Style | null
}>

const SIMPLE = /^([a-z][a-z0-9]*)?[.#][\w-]+$/i
const MAX_SELECTORS = 1_000
const MAX_CLASSES = 20

/** Rules inside `@media` and the like are not read: they are for some screens only. Selectors that look at other elements are, too. */
export function styleSheet(): StyleSheet {
  const rules = new Map<string, Style>()

  const addRule = (selectors: string, declarations: string): void => {
    const style = styleOf(declarations)
    if (style === null) return
    for (const selector of selectors.split(',')) {
      const key = selector.trim()
      if (!SIMPLE.test(key) || (rules.size >= MAX_SELECTORS && !rules.has(key))) continue
      rules.set(key, merged(rules.get(key) ?? null, style) ?? style)
    }
  }

  return {
    add: (css) => {
      for (const { selectors, declarations } of topRules(withoutComments(css))) addRule(selectors, declarations)
    },
    styleFor: (element, attributes) => {
      if (rules.size === 0) return null
      const id = attributes.get('id')
      const classes = (attributes.get('class') ?? '').split(/\s+/, MAX_CLASSES).map((name) => `.${name}`)
      const keys = id === undefined ? classes : [...classes, `#${id.trim()}`]
      return keys
        .flatMap((key) => [key, `${element}${key}`])
        .map((key) => rules.get(key) ?? null)
        .reduce(merged, null)
    },
  }
}

/** One that is not closed hides the rest. */
function withoutComments(css: string): string {
  let text = ''
  let at = 0
  for (let open = css.indexOf('/*'); open !== -1; open = css.indexOf('/*', at)) {
    text += css.slice(at, open)
    const close = css.indexOf('*/', open + 2)
    if (close === -1) return text
    at = close + 2
  }
  return text + css.slice(at)
}

type Rule = Readonly<{ selectors: string; declarations: string }>

function topRules(css: string): readonly Rule[] {
  const found: Rule[] = []
  let at = 0
  for (;;) {
    const open = css.indexOf('{', at)
    if (open === -1) return found
    // What ends in a semicolon before it is a rule of one line, as `@import` is.
    const before = css.slice(at, open)
    const selectors = before.slice(before.lastIndexOf(';') + 1).trim()
    const close = selectors.startsWith('@') ? endOfBlock(css, open) : css.indexOf('}', open)
    if (close === -1) return found
    if (!selectors.startsWith('@')) found.push({ selectors, declarations: css.slice(open + 1, close) })
    at = close + 1
  }
}

/** The end of the block that begins at `open`; -1 if it is not closed. */
function endOfBlock(css: string, open: number): number {
  const brace = /[{}]/g
  brace.lastIndex = open
  let depth = 0
  for (let found = brace.exec(css); found !== null; found = brace.exec(css)) {
    depth += found[0] === '{' ? 1 : -1
    if (depth === 0) return found.index
  }
  return -1
}
