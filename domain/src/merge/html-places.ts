import { addressSoFar } from './escape.ts'

/**
 * Where in html a value comes: `text` between tags (titles and comments as well), an attribute, one that holds an address, or the content of a
 * script or a style. `address`: what the attribute has so far (`addressSoFar`); empty at its start. `quote`: right before the value; empty where there is none.
 */
export type HtmlPlace = Readonly<
  | { kind: 'text' }
  | { kind: 'script' | 'style'; quote: string }
  | { kind: 'attribute'; isQuoted: boolean; isScript: boolean }
  | { kind: 'address'; isQuoted: boolean; address: string }
>

/** Reads the html between merge tags, in order; `place` is where the next tag stands, `add` what it became there. */
export type HtmlPlaces = Readonly<{ read: (literal: string) => void; add: (text: string) => void; place: () => HtmlPlace }>

/** HTML standard, table of attributes: those whose value is one URL. */
const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'cite', 'poster', 'background', 'longdesc', 'data', 'xlink:href'])
/** Their content is text until their end tag, whatever it looks like. */
const RAW = new Set(['script', 'style', 'title', 'textarea'])

const NAME = /[a-zA-Z][^\s/>]*/y
const GAP = /[\s/]+/y
/** A name may begin with `=`; white space may surround the `=` in front of the value. */
const ATTRIBUTE = /[^\s/>][^\s/>=]*(\s*=\s*)?/y
const UNQUOTED = /[^\s>]+/y
/** A tag that is complete, with its attributes: most are, and one match is a tenth of the work. */
const WHOLE_TAG = /<(\/?)([a-zA-Z][^\s/>]*)[^"'>=]*(?:=(?:\s*"[^"]*"|\s*'[^']*'|[^"'>])[^"'>=]*)*>/y
/** Outlook reads what is in such a comment as html. */
const CONDITION = /<!--\[if[^\]>]*\]>/iy

type Mode = 'text' | 'comment' | 'raw' | 'tag' | 'value'

/** Follows the tokenizer of the HTML standard (13.2.5) as far as a merged value needs it. Time grows with the length of what it reads. */
export function htmlPlaces(): HtmlPlaces {
  let mode: Mode = 'text'
  let element = ''
  let attribute = ''
  let quote = ''
  let value = ''
  let quoteBefore = ''

  const match = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  /** Moves behind the end and changes to the next mode; without an end, moves to the end of the text in this mode. */
  const until = (end: number, length: number, next: Mode, text: string): number => {
    if (end === -1) return text.length
    mode = next
    return end + length
  }

  const addToValue = (text: string): void => {
    if (ADDRESSES.has(attribute)) value = addressSoFar(value, text)
  }

  const readText = (text: string, at: number): number => {
    const open = text.indexOf('<', at)
    if (open === -1) return text.length
    const whole = match(WHOLE_TAG, text, open)
    if (whole !== null) {
      element = whole[1] === '' ? (whole[2] ?? '').toLowerCase() : ''
      mode = RAW.has(element) ? 'raw' : 'text'
      return WHOLE_TAG.lastIndex
    }
    const condition = match(CONDITION, text, open)
    if (condition !== null) return open + condition[0].length
    if (text.startsWith('<!--', open)) {
      mode = 'comment'
      return open + 4
    }
    if (text.startsWith('<!', open) || text.startsWith('<?', open)) {
      const close = text.indexOf('>', open)
      return close === -1 ? text.length : close + 1
    }
    const isClosing = text[open + 1] === '/'
    const name = match(NAME, text, open + (isClosing ? 2 : 1))
    if (name === null) return open + 1
    element = isClosing ? '' : name[0].toLowerCase()
    mode = 'tag'
    return NAME.lastIndex
  }

  const readTag = (text: string, at: number): number => {
    if (text[at] === '>') {
      mode = RAW.has(element) ? 'raw' : 'text'
      return at + 1
    }
    if (match(GAP, text, at) !== null) return GAP.lastIndex
    const found = match(ATTRIBUTE, text, at)
    // Nothing but `>` and gaps fails to match.
    if (found === null) return at + 1
    const end = at + found[0].length
    if (found[1] === undefined) return end
    attribute = found[0].slice(0, found[0].length - found[1].length).toLowerCase()
    mode = 'value'
    value = ''
    quote = text[end] === '"' || text[end] === "'" ? (text[end] ?? '') : ''
    return end + quote.length
  }

  const readValue = (text: string, at: number): number => {
    const end = quote === '' ? at + (match(UNQUOTED, text, at)?.[0].length ?? 0) : text.indexOf(quote, at)
    const isOver = end !== -1 && end < text.length
    addToValue(isOver ? text.slice(at, end) : text.slice(at))
    if (isOver) mode = 'tag'
    return isOver ? end + quote.length : text.length
  }

  const endOfRaw = (text: string, at: number): number => {
    const end = new RegExp(`</${element}`, 'gi')
    end.lastIndex = at
    return end.exec(text)?.index ?? -1
  }

  const STEPS: Readonly<Record<Mode, (text: string, at: number) => number>> = {
    text: readText,
    comment: (text, at) => until(text.indexOf('-->', at), 3, 'text', text),
    raw: (text, at) => until(endOfRaw(text, at), 0, 'text', text),
    tag: readTag,
    value: readValue,
  }

  return {
    read: (literal) => {
      for (let at = 0; at < literal.length; ) at = STEPS[mode](literal, at)
      quoteBefore = /["'`]$/.exec(literal)?.[0] ?? ''
    },
    add: (text) => {
      if (mode === 'value') addToValue(text)
      quoteBefore = ''
    },
    place: () => {
      if (mode === 'raw' && (element === 'script' || element === 'style')) return { kind: element, quote: quoteBefore }
      if (mode === 'value' && ADDRESSES.has(attribute)) return { kind: 'address', isQuoted: quote !== '', address: value }
      if (mode === 'value') return { kind: 'attribute', isQuoted: quote !== '', isScript: attribute.startsWith('on') }
      return mode === 'tag' ? { kind: 'attribute', isQuoted: false, isScript: false } : { kind: 'text' }
    },
  }
}
