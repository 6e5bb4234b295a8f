import { inNfc } from '../values.ts'

/** A piece of a template: literal text, or a tag to be resolved. */
export type MergePart = string | Readonly<{ key: string; fallback: string }>

const OPEN = '{{'
const CLOSE = '}}'
const MAX_KEY = 255
const MAX_SHOWN = 40

/**
 * Splits a template at its merge tags: `{{key}}` or `{{key|fallback}}`, spaces around both tolerated (contract: Merge tags;
 * M3). A text that is no tag, such as `{{}}` or a key over two lines, stays text. Linear in the length.
 */
export function mergeParts(template: string): readonly MergePart[] {
  return placedPartsWith(template, tagOf).map(({ part }) => part)
}

type Tag = Exclude<MergePart, string>
/** `before` and `after` were between the braces and stay around the value. */
export type FoundTag = Readonly<{ tag: Tag; before?: string; after?: string }>

type FindTag = (inner: string) => FoundTag | null

/** `from`: where a text begins in the template; null for a tag, and for what stood between its braces. */
export type PlacedPart = Readonly<{ part: MergePart; from: number | null }>

/** The parts of `mergeParts`, with their places. */
export function placedParts(template: string): readonly PlacedPart[] {
  return placedPartsWith(template, tagOf)
}

/** `found` reads what stands between a pair of braces; it gives null if that is no tag. */
export function placedPartsWith(template: string, found: FindTag): readonly PlacedPart[] {
  const parts: PlacedPart[] = []
  let textFrom = 0
  let at = 0
  for (;;) {
    const close = template.indexOf(CLOSE, at)
    if (close === -1) break
    // The innermost opening: in `{{ {{a}}` and `{{{a}}}` the tag is `{{a}}`.
    const before = template.slice(at, close)
    const opening = before.lastIndexOf(OPEN)
    const open = at + opening
    const is = opening === -1 ? null : found(before.slice(opening + 2))
    at = close + 2
    if (is === null) continue
    if (textFrom < open) parts.push({ part: template.slice(textFrom, open), from: textFrom })
    if (is.before) parts.push({ part: is.before, from: null })
    parts.push({ part: is.tag, from: null })
    if (is.after) parts.push({ part: is.after, from: null })
    textFrom = at
  }
  if (textFrom < template.length) parts.push({ part: template.slice(textFrom), from: textFrom })
  return parts
}

const tagOf = (inner: string): FoundTag | null => {
  const bar = inner.indexOf('|')
  return tagWith(bar === -1 ? inner : inner.slice(0, bar), bar === -1 ? '' : inner.slice(bar + 1))
}

/** Gives null if the key can be none. */
export function tagWith(key: string, fallback: string): FoundTag | null {
  const name = key.trim()
  return name === '' || name.length > MAX_KEY || /[{}<>\r\n]/.test(name) ? null : { tag: { key: inNfc(name), fallback: fallback.trim() } }
}

/** The keys of every tag in the given parts, sorted by code unit, each once. */
export function mergeFields(parts: readonly MergePart[]): readonly string[] {
  return [...new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [part.key])))].sort()
}

/** A block, its end, its other side, a partial, a comment of Mustache and Handlebars: no field has such a name, so nothing would ever be merged. */
const BLOCK = /^[#/^>!&]/
/** The tags of Liquid and Jinja, of which there are none here. */
const LIQUID =
  /\{%-?\s*(?:if|elsif|elif|else|endif|unless|endunless|for|endfor|case|when|endcase|assign|set|capture|include|block|raw|comment)\b/

const unresolvable = (part: MergePart): string | null => {
  if (typeof part !== 'string') return BLOCK.test(part.key) ? `${OPEN}${part.key}${CLOSE}` : null
  const open = part.indexOf(OPEN)
  const at = open === -1 ? part.search(LIQUID) : open
  return at === -1 ? null : part.slice(at)
}

/** The first piece of a template that looks like a merge tag, or a tag of another language, and can never resolve; null where there is none. */
export function unresolvableTag(parts: readonly MergePart[]): string | null {
  const found = parts.map(unresolvable).find((text) => text !== null)
  return found === undefined ? null : found.slice(0, MAX_SHOWN)
}
