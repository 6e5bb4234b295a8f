import { type Attribute, readHtml, type StartTag } from '../read-html.ts'

/**
 * The place of a value in html is `text` between tags (titles and comments as well), the content of a script or a style, an attribute (also what is
 * between attributes), or an attribute that holds an address, which begins at `from`.
 */
export type HtmlPlace = Readonly<
  | { kind: 'text' | 'script' | 'style' }
  | { kind: 'attribute'; isQuoted: boolean; isScript: boolean }
  | { kind: 'address'; isQuoted: boolean; from: number }
>

/** HTML standard, table of attributes: those whose value is one URL. */
const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'cite', 'poster', 'background', 'longdesc', 'data', 'xlink:href'])
/** Outlook reads what is in such a comment as html. */
const CONDITION = /^<!--\[if[^\]>]*\]>/i

const TEXT: HtmlPlace = { kind: 'text' }
const BETWEEN: HtmlPlace = { kind: 'attribute', isQuoted: false, isScript: false }

/** Gives the place of each of `offsets`, which ascend. Time grows with the length of the html and with their number. */
export function htmlPlaces(html: string, offsets: readonly number[]): readonly HtmlPlace[] {
  const places: HtmlPlace[] = []
  const fill = (to: number, place: HtmlPlace): void => {
    for (let next = offsets[places.length]; next !== undefined && next < to; next = offsets[places.length]) places.push(place)
  }
  readPlaces(html, 0, fill)
  fill(Number.POSITIVE_INFINITY, TEXT)
  return places
}

type Fill = (to: number, place: HtmlPlace) => void

/** `part` begins at `start` in the whole. A condition within a condition is a comment. */
function readPlaces(part: string, start: number, fill: Fill, isInCondition = false): void {
  let content = TEXT
  const fillTag = ({ from, to, attributes }: Omit<StartTag, 'name'>): void => {
    fill(start + from, content)
    for (const attribute of attributes) fillAttribute(part, attribute, start, fill)
    fill(start + to, BETWEEN)
  }
  readHtml(part, {
    startTag: (tag) => {
      fillTag(tag)
      content = tag.name === 'script' || tag.name === 'style' ? { kind: tag.name } : TEXT
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
        readPlaces(comment.slice(inside), start + from + inside, fill, true)
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
  fill(
    start + value.to,
    ADDRESSES.has(name) ? { kind: 'address', isQuoted, from } : { kind: 'attribute', isQuoted, isScript: name.startsWith('on') },
  )
}
