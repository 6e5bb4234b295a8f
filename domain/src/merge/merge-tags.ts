import { inNfc } from '../values.ts'

/** A piece of a template: literal text, or a tag to be resolved. */
type MergePart = string | Readonly<{ key: string; fallback: string }>

const OPEN = '{{'
const CLOSE = '}}'
const MAX_KEY = 255

/**
 * Splits a template at its merge tags: `{{key}}` or `{{key|fallback}}`, spaces around both tolerated (contract: Merge tags;
 * M3). What is not a tag, such as `{{}}` or a key over two lines, stays text. Linear in the length.
 */
export function mergeParts(template: string): readonly MergePart[] {
  const parts: MergePart[] = []
  let textFrom = 0
  let at = 0
  for (;;) {
    const close = template.indexOf(CLOSE, at)
    if (close === -1) break
    // The innermost opening: in `{{ {{a}}` and `{{{a}}}` the tag is `{{a}}`.
    const before = template.slice(at, close)
    const opening = before.lastIndexOf(OPEN)
    const open = at + opening
    const tag = opening === -1 ? null : tagOf(before.slice(opening + 2))
    at = close + 2
    if (tag === null) continue
    if (open > textFrom) parts.push(template.slice(textFrom, open))
    parts.push(tag)
    textFrom = at
  }
  if (textFrom < template.length) parts.push(template.slice(textFrom))
  return parts
}

const tagOf = (inner: string): Readonly<{ key: string; fallback: string }> | null => {
  const bar = inner.indexOf('|')
  const key = (bar === -1 ? inner : inner.slice(0, bar)).trim()
  const fallback = bar === -1 ? '' : inner.slice(bar + 1).trim()
  return key === '' || key.length > MAX_KEY || /[{}<>\r\n]/.test(key) ? null : { key: inNfc(key), fallback }
}

/** The keys of every tag in the given texts, sorted by code unit, each once. */
export function mergeFields(texts: readonly (string | null)[]): readonly string[] {
  const keys = new Set<string>()
  for (const text of texts) {
    if (text === null) continue
    for (const part of mergeParts(text)) if (typeof part !== 'string') keys.add(part.key)
  }
  return [...keys].sort()
}
