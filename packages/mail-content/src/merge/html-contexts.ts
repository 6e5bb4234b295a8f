import { type Attribute, readHtml, type StartTag } from '../html/read-html.ts'
import type { CodeLanguage } from './string-state.ts'

/**
 * The place of a value in html is `text` between tags (titles and comments as well), the content of a script or a style, an attribute (also what is
 * between attributes), or an attribute that holds an address, or a list of them. `from` is where that content or attribute begins; `code` says that an attribute
 * is a script or a style.
 */
export type HtmlContext = Readonly<
  | { kind: 'text' }
  | { kind: CodeLanguage; from: number }
  | { kind: 'attribute'; isQuoted: boolean; code: CodeLanguage | null; from: number }
  | { kind: 'address'; isQuoted: boolean; isOneOfMany: boolean; from: number }
>

/** HTML standard, table of attributes: those whose value is one URL. */
const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'cite', 'poster', 'background', 'longdesc', 'data', 'xlink:href'])
/** The value of these is a list of URLs, each with the screens that it is for, and commas between. */
const LISTS = new Set(['srcset', 'imagesrcset'])
/** Outlook reads what is in such a comment as html. */
const CONDITION = /^<!--\[if[^\]>]*\]>/i

const TEXT: HtmlContext = { kind: 'text' }
const BETWEEN: HtmlContext = { kind: 'attribute', isQuoted: false, code: null, from: 0 }

/** Gives the place of each of `offsets`, which ascend. Time grows with the length of the html and with their number. */
export function htmlContexts(html: string, offsets: readonly number[]): readonly HtmlContext[] {
  const contexts: HtmlContext[] = []
  const fill = (to: number, context: HtmlContext): void => {
    for (let next = offsets[contexts.length]; next !== undefined && next < to; next = offsets[contexts.length]) contexts.push(context)
  }
  readContexts(html, 0, fill)
  fill(Number.POSITIVE_INFINITY, TEXT)
  return contexts
}

type Fill = (to: number, context: HtmlContext) => void

/** `part` begins at `start` in the whole. A condition within a condition is a comment. */
function readContexts(part: string, start: number, fill: Fill, isInCondition = false): void {
  let content: HtmlContext = TEXT
  const fillTag = ({ from, to, attributes }: Omit<StartTag, 'name'>): void => {
    fill(start + from, content)
    for (const attribute of attributes) fillAttribute(part, attribute, start, fill)
    fill(start + to, BETWEEN)
  }
  readHtml(part, {
    startTag: (tag) => {
      fillTag(tag)
      content = tag.name === 'script' || tag.name === 'style' ? { kind: tag.name, from: start + tag.to } : TEXT
    },
    endTag: ({ from, to }) => {
      fillTag({ from, to, attributes: [] })
      content = TEXT
    },
    unclosed: (tag) => {
      if (tag !== null) fillTag(tag)
    },
    text: ({ to }) => fill(start + to, content),
    comment: ({ from, to }) => {
      fill(start + from, content)
      const comment = part.slice(from, to)
      const condition = isInCondition ? null : CONDITION.exec(comment)
      if (condition !== null) {
        const inside = condition[0].length
        readContexts(comment.slice(inside), start + from + inside, fill, true)
      }
      fill(start + to, TEXT)
    },
  })
}

function fillAttribute(html: string, { name, value }: Attribute, start: number, fill: Fill): void {
  if (value === null) return
  const from = start + value.from
  fill(from, BETWEEN)
  const before = html.charAt(value.from - 1)
  const isQuoted = before === '"' || before === "'"
  const isOneOfMany = LISTS.has(name)
  const isAddress = isOneOfMany || ADDRESSES.has(name)
  fill(
    start + value.to,
    isAddress ? { kind: 'address', isQuoted, isOneOfMany, from } : { kind: 'attribute', isQuoted, code: codeOf(name), from },
  )
}

const codeOf = (attribute: string): CodeLanguage | null => (attribute === 'style' ? 'style' : attribute.startsWith('on') ? 'script' : null)
