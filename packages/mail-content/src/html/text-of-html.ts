import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { type OpenElements, openElements } from './open-elements.ts'
import { readHtml, type Span, type StartTag } from './read-html.ts'
import { type StyleSheet, styleSheet } from './style-sheet.ts'
import { type TextWriter, textWriter } from './text-writer.ts'
import { HIDDEN, merged, NO_SIZE, PREFORMATTED, SHOWN, styleOf, visibilityIn } from './visibility.ts'

/** What an element does with the text around it. */
type Kind = 'hidden' | 'paragraph' | 'line' | 'cell' | 'list' | 'item' | 'link' | 'image' | 'break'
const names = (kind: Kind, list: string): [string, Kind][] => list.split(' ').map((name) => [name, kind])
/** Elements that are not listed are inline: their text runs on. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ...names('hidden', 'script style title template datalist'),
  ...names('paragraph', 'p h1 h2 h3 h4 h5 h6 table blockquote pre section article header footer hr dl form fieldset figure'),
  ...names('line', 'div tr center address caption dt dd figcaption legend main aside nav option summary details'),
  ...names('cell', 'td th'),
  ...names('list', 'ul ol menu dir'),
  ...names('item', 'li'),
  ...names('link', 'a area'),
  ...names('image', 'img'),
  ...names('break', 'br'),
])

/** They have no content, and no end tag (HTML standard, 13.1.2). */
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
/** They hold the whole mail, whatever is written around them. */
const ROOTS = new Set(['html', 'head', 'body'])
/** The content of these is html for programs that do not know the element; a mail without html is read by such a program. */
const FALLBACKS = new Set(['iframe', 'noembed', 'noframes'])

const NOT_FOR_OUTLOOK = /^<!(?:--)?\[if !mso/i
const END_OF_CONDITION = /<!\[endif\]/i
/** Deeper lists are not set further in. */
const MAX_DEPTH = 6

type Attributes = ReadonlyMap<string, string>
type Link = Readonly<{ address: string; from: number }>
/** `isForOutlook`: false in what Outlook does not read. */
type Reading = {
  readonly out: TextWriter
  readonly sheet: StyleSheet
  open: OpenElements
  link: Link | null
  isForOutlook: boolean
  isInFallback: boolean
  readonly onLink: OnLink
}
/** Hears of each link what it reads, and where it leads. */
type OnLink = (label: string, address: string) => void
type Element = Readonly<{ name: string; kind: Kind | undefined; attributes: Attributes; visibility: number }>

const NO_ATTRIBUTES: Attributes = new Map()

/**
 * The text part of a mail that came with html only (M4): what a reader sees of it. Block elements become lines, links keep their address, images
 * are what their `alt` says, what a style hides is left out. Time grows with the length of the html, whatever is in it.
 */
export function textOfHtml(html: string, onLink: OnLink = ignored): string {
  const reading: Reading = {
    out: textWriter(),
    sheet: styleSheet(),
    open: openElements(),
    link: null,
    isForOutlook: true,
    isInFallback: false,
    onLink,
  }
  readStyles(html, reading.sheet)
  readAll(html, reading)
  endLink(reading)
  return reading.out.text()
}

const ignored = (): void => undefined

/** A mail may have its styles behind what they are about. */
function readStyles(html: string, sheet: StyleSheet): void {
  if (!/<style/i.test(html)) return
  readHtml(html, {
    text: ({ from, to }, within) => {
      if (within === 'style') sheet.add(html.slice(from, to))
    },
  })
}

function readAll(html: string, reading: Reading): void {
  readHtml(html, {
    text: ({ from, to }, within) => readText(html.slice(from, to), within, reading),
    comment: (comment) => readCondition(html, comment, reading),
    startTag: ({ name, attributes }) => {
      if (!ROOTS.has(name)) readStartTag(name, attributes.length === 0 ? NO_ATTRIBUTES : attributesOf(html, attributes), reading)
    },
    endTag: ({ name }) => {
      // Browsers do so for `</br>`.
      if (VOID.has(name)) readStartTag(name, NO_ATTRIBUTES, reading)
      else if (!ROOTS.has(name)) readEndTag(name, reading)
    },
  })
}

/** Gives the values as they are written; if two attributes have one name, the first counts. */
function attributesOf(html: string, attributes: StartTag['attributes']): Attributes {
  const found = new Map<string, string>()
  for (const { name, value } of attributes) if (!found.has(name)) found.set(name, value === null ? '' : html.slice(value.from, value.to))
  return found
}

function readCondition(html: string, { from, to }: Span, reading: Reading): void {
  const comment = html.slice(from, Math.min(to, from + 40))
  if (NOT_FOR_OUTLOOK.test(comment)) reading.isForOutlook = false
  else if (END_OF_CONDITION.test(comment)) reading.isForOutlook = true
}

function write(source: string, { open, out }: Reading): void {
  const visibility = open.visibility()
  if (!isSeen(visibility)) return
  const text = source.includes('&') ? decodeHTML(source) : source
  if (visibility === PREFORMATTED) out.writeLines(text)
  else out.write(text)
}

const isSeen = (visibility: number): boolean => (visibility & ~PREFORMATTED) === SHOWN
/** Even an element without letters separates what is around it: a cell without a size has rows inside. */
const isLaidOut = (visibility: number): boolean => (visibility & HIDDEN) === 0

function readEndTag(name: string, reading: Reading): void {
  const { open, out } = reading
  const kind = KINDS.get(name)
  const wasLaidOut = isLaidOut(open.visibility())
  if (kind === 'link') endLink(reading)
  open.close(name)
  if (kind === 'item') out.mark('')
  if (wasLaidOut && kind !== undefined) breakAround(kind, reading)
}

function readStartTag(name: string, attributes: Attributes, reading: Reading): void {
  const { open } = reading
  const wasLaidOut = isLaidOut(open.visibility())
  if (open.makeRoom(name) && wasLaidOut) breakAround('paragraph', reading)
  const element: Element = { name, kind: KINDS.get(name), attributes, visibility: visibilityOf(name, attributes, reading) }
  if (isLaidOut(element.visibility)) breakAround(element.kind, reading)
  if (!VOID.has(name)) openElement(element, open)
  writeElement(element, reading)
}

function visibilityOf(name: string, attributes: Attributes, { open, sheet, isForOutlook }: Reading): number {
  const around = name === 'pre' ? open.visibility() | PREFORMATTED : open.visibility()
  if (KINDS.get(name) === 'hidden') return around | HIDDEN
  if (attributes.size === 0) return around
  const inline = attributes.get('style')
  const written = inline?.includes('&') ? decodeHTMLAttribute(inline) : (inline ?? '')
  // A button for all but Outlook, which gets its own in a comment: only there the link is not seen.
  const own = styleOf(name === 'a' || !isForOutlook ? written.replace(/mso-hide/gi, '') : written)
  const style = merged(sheet.styleFor(name, attributes), own)
  const visibility = style === null ? around : visibilityIn(around, style)
  return attributes.has('hidden') ? visibility | HIDDEN : visibility
}

function openElement({ name, kind, attributes, visibility }: Element, open: OpenElements): void {
  if (kind === 'list') open.openList(name, visibility, name === 'ol' ? wholeNumber(attributes.get('start'), 1) : null)
  else open.open(name, visibility)
}

function breakAround(kind: Kind | undefined, { out, open }: Reading): void {
  if (kind === 'paragraph') out.breakLines(2)
  else if (kind === 'list') out.breakLines(open.depth() === 0 ? 2 : 1)
  else if (kind === 'line' || kind === 'item') out.breakLines(1)
  else if (kind === 'cell') out.space()
}

function writeElement({ name, kind, attributes, visibility }: Element, reading: Reading): void {
  const { out, open } = reading
  // A size of letters is none of images.
  if (kind === 'image' && isSeen(visibility & ~NO_SIZE)) writeAlternative(attributes, out)
  if (kind === 'break' && isLaidOut(visibility)) out.breakLine()
  if (!isSeen(visibility)) return
  if (kind === 'link') startLink(name, attributes, reading)
  else if (kind === 'item') out.mark('  '.repeat(Math.min(MAX_DEPTH, Math.max(0, open.depth() - 1))) + bulletOf(attributes, open))
}

const bulletOf = (attributes: Attributes, open: OpenElements): string => {
  const list = open.list()
  if (list.next === null) return '- '
  const number = wholeNumber(attributes.get('value'), list.next)
  list.next = number + 1
  return `${number}. `
}

const wholeNumber = (text: string | undefined, otherwise: number): number =>
  text !== undefined && /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : otherwise

/** A picture of one pixel is there to be fetched, not to be seen. */
function writeAlternative(attributes: Attributes, out: TextWriter): void {
  const text = decodeHTMLAttribute(attributes.get('alt') ?? '')
  if (text.trim() === '' || isDot(attributes.get('width')) || isDot(attributes.get('height'))) return
  out.space()
  out.write(text)
  out.space()
}

const isDot = (size: string | undefined): boolean => size !== undefined && /^\s*[01](?:px)?\s*$/.test(size)

/** A fallback within a fallback is left out: unclosed ones would be read once for each. */
function readText(text: string, within: string | null, reading: Reading): void {
  if (within === null || !FALLBACKS.has(within)) write(text, reading)
  else if (!reading.isInFallback) {
    const { open } = reading
    // Its elements are its own.
    readAll(text, Object.assign(reading, { isInFallback: true, open: openElements(open.visibility()) }))
    Object.assign(reading, { isInFallback: false, open })
  }
}

function startLink(name: string, attributes: Attributes, reading: Reading): void {
  endLink(reading)
  const address = addressOf(attributes.get('href') ?? '')
  if (address !== null) reading.link = { address, from: reading.out.size() }
  if (name !== 'area') return
  writeAlternative(attributes, reading.out)
  endLink(reading)
}

function endLink(reading: Reading): void {
  const { link, out, onLink } = reading
  if (link === null) return
  reading.link = null
  const label = out.text(link.from).trim()
  const address = inAscii(link.address)
  onLink(label, link.address)
  if (label === '') out.write(address)
  else if (!isAddressItself(label, link.address)) out.append(` (${address})`)
}

/** Whether a link reads as the address that it leads to. */
export function isAddressItself(label: string, address: string): boolean {
  return bare(label) === bare(address)
}

/** An address that a reader can use; that of a mail or a telephone is the part behind its scheme. */
function addressOf(href: string): string | null {
  const address = decodeHTMLAttribute(href).replace(/\s+/g, '')
  if (/^https?:/i.test(address)) return address
  return /^(?:mailto|tel|sms):([^?]+)/i.exec(address)?.[1] ?? null
}

const BEYOND_ASCII = /\P{ASCII}/u

/** Programs that look for addresses in a text stop at other letters, and one of letters from right to left is shown in pieces. */
function inAscii(address: string): string {
  return BEYOND_ASCII.test(address) && /^https?:/i.test(address) && URL.canParse(address) ? new URL(address).href : address
}

/** An address as people write it. */
function bare(address: string): string {
  return address
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/\/$/, '')
}
