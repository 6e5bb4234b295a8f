import { readHtml, type Span } from '../html/read-html.ts'
import type { Hole, MailSource } from './mail-source.ts'

/**
 * The values that may stand in a hole without a change of what is read around it: `text` between tags, `attribute` in quotes, `address` at the beginning of
 * one that leads somewhere.
 */
export type HoleKind = 'text' | 'attribute' | 'address'

/** Letters, digits and what stands between them in names, numbers and addresses of mail; no blank at an end, no two in a row. */
const TEXT = /^[\p{L}\p{N}](?:(?:[\p{L}\p{N},.@_+-]| (?! ))*[\p{L}\p{N},.])?$/u
const ATTRIBUTE = /^[\w:/?=.,~%+@-]+$/
const ADDRESS = /^https?:\/\/[A-Za-z0-9][\w:/?=.,~%+@-]*$/
const VALUES: Readonly<Record<HoleKind, RegExp>> = { text: TEXT, attribute: ATTRIBUTE, address: ADDRESS }

export function fits(kind: HoleKind, value: string): boolean {
  return VALUES[kind].test(value)
}

/** Where these values are read matters only to the element that they are in. */
const TEXT_ONLY: ReadonlySet<string | null> = new Set([null, 'title', 'textarea'])
/** The text part of a mail depends on these. */
const READ = new Set(['style', 'class', 'id', 'hidden', 'alt', 'width', 'height', 'start', 'value'])
const LINKS = new Set(['a', 'area'])

/** The end of something that could be a character reference with what follows. */
const OPEN_REFERENCE = /&[a-z0-9#]*$/i
const WEB_ADDRESS = /^\s*https?:\/\//i

/** Null where the html may be read otherwise with other values in its holes. */
export function holeKinds({ html, holes }: MailSource): readonly HoleKind[] | null {
  const kinds: (HoleKind | null)[] = holes.map(() => null)
  const inside = holesInOrder(holes)
  readHtml(html, {
    text: (span, within) => {
      for (const [n, hole] of inside(span)) {
        const before = html.slice(span.from, hole.from)
        if (TEXT_ONLY.has(within) && !before.includes('<') && !OPEN_REFERENCE.test(before)) kinds[n] = 'text'
      }
    },
    startTag: ({ name, attributes }) => {
      for (const { name: attribute, value } of attributes) {
        if (value === null) continue
        for (const [n, hole] of inside(value)) kinds[n] = kindInAttribute({ element: name, attribute, value }, hole, html)
      }
    },
  })
  const known = kinds.filter((kind) => kind !== null)
  return known.length === holes.length ? known : null
}

type InAttribute = Readonly<{ element: string; attribute: string; value: Span }>

const kindInAttribute = ({ element, attribute, value }: InAttribute, hole: Hole, html: string): HoleKind | null => {
  const quote = html.charAt(value.from - 1)
  const before = html.slice(value.from, hole.from)
  if ((quote !== '"' && quote !== "'") || READ.has(attribute) || OPEN_REFERENCE.test(before)) return null
  if (attribute !== 'href' || !LINKS.has(element)) return 'attribute'
  if (!WEB_ADDRESS.test(html.slice(value.from, value.to))) return null
  return before === '' ? 'address' : 'attribute'
}

/** The holes of a span, with their numbers; spans are asked for in their order. */
const holesInOrder = (holes: readonly Hole[]): ((span: Span) => readonly (readonly [number, Hole])[]) => {
  let next = 0
  return ({ from, to }) => {
    const inside: (readonly [number, Hole])[] = []
    for (let hole = holes[next]; hole !== undefined && hole.to <= to; hole = holes[++next]) if (hole.from >= from) inside.push([next, hole])
    return inside
  }
}
