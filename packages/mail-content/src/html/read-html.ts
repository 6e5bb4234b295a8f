import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

/** Follows where the html is inside of `svg` or `math`: there, `style` and `title` hold markup, and CDATA sections are text. */
type ForeignContent = Readonly<{
  isForeign: () => boolean
  start: (name: string, isSelfClosing: boolean) => void
  end: (name: string) => void
}>

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))
const ROOTS = words('svg math')
/** Their content is html again. */
const HTML_INSIDE = words('foreignobject desc title mi mo mn ms mtext')
/** Their start tags end the content of a root (HTML standard, 13.2.6.5). Their end tags count as those of an element around it. */
const HTML_ONLY = words(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
)
/** Deeper roots count as content of the one around. */
const MAX_DEPTH = 64

function foreignContent(): ForeignContent {
  /** Has roots, and the elements in them whose content is html. */
  const open: string[] = []
  const isForeign = (): boolean => open.length > 0 && ROOTS.has(open.at(-1) ?? '')
  const leave = (): void => {
    while (isForeign()) open.pop()
  }
  return {
    isForeign,
    start: (name, isSelfClosing) => {
      const wasForeign = isForeign()
      if (wasForeign && HTML_ONLY.has(name)) leave()
      else if (!isSelfClosing && open.length < MAX_DEPTH && (ROOTS.has(name) || (wasForeign && HTML_INSIDE.has(name)))) open.push(name)
    },
    end: (name) => {
      if (open.length === 0) return
      const last = open.lastIndexOf(name)
      if (last !== -1) open.length = last
      else if (HTML_ONLY.has(name)) leave()
    },
  }
}

/** A piece of the html has the characters from `from` up to `to`. */
export type Span = Readonly<{ from: number; to: number }>

/** `name` is in lowercase. `value` is what stands between the quotes, as it is written; null if the attribute has no `=`. */
export type Attribute = Readonly<{ name: string; value: Span | null }>

/** `attributes` are in their order; if two have one name, browsers see the first. */
export type StartTag = Span & Readonly<{ name: string; attributes: readonly Attribute[] }>

export type HtmlReader = Readonly<{
  startTag: (tag: StartTag) => void
  endTag: (tag: Span & Readonly<{ name: string }>) => void
  /** `within` is the element whose content is text, whatever it looks like; null if markup could stand here. */
  text: (text: Span, within: string | null) => void
  /** Gets comments, declarations, and what browsers take for a comment. */
  comment: (comment: Span) => void
  /**
   * Is called if the html ends where nothing behind it would be read as html: inside a comment (or behind a `</`, which begins one), inside an element
   * that holds text only, or inside a tag, which is given as far as it goes.
   */
  unclosed: (tag: StartTag | null) => void
}>

/** The content of these is text (HTML standard, 13.2.6.4). */
const TEXT_ONLY = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext'])

/**
 * This finds the beginnings of what the tokenizer reads otherwise than browsers: a CDATA section outside of svg and math, which is a comment up to the next
 * `>`, and an end tag with attributes, which ends at no `>` inside their quotes. It gets other letters there, and the places stay the same.
 */
const ODD = /<!\[CDATA\[|<\/(?=[a-z][^\s/>]*[\s/])/gi
const [CDATA, COMMENT_LIKE_CDATA] = ['<![CDATA[', '<!zCDATA[']
const [END_TAG, START_LIKE_END_TAG] = ['</', '<z']

/**
 * Tells a reader what is in the html, in order, as the tokenizer of htmlparser2 finds it, with the places in the html. It goes forward only:
 * time grows with the length of the html, whatever is in it.
 */
export function readHtml(html: string, reader: Partial<HtmlReader>): void {
  const foreign = foreignContent()
  const { callbacks, isBefore } = tokenReader(html, reader, foreign)
  const tokenizer = new Tokenizer({ decodeEntities: false }, callbacks)
  let from = 0
  for (const { 0: odd, index } of html.matchAll(ODD)) {
    tokenizer.write(html.slice(from, index))
    if (!isBefore(index) || (odd === CDATA && foreign.isForeign())) tokenizer.write(odd)
    else tokenizer.write(odd === END_TAG ? START_LIKE_END_TAG : COMMENT_LIKE_CDATA)
    from = index + odd.length
  }
  tokenizer.write(from === 0 ? html : html.slice(from))
  tokenizer.end()
}

type OpenTag = { from: number; name: string; attributes: { name: string; value: Span | null }[] }
type Texts = Readonly<{ add: (from: number, to: number) => void; end: () => void }>

/** `at` is behind what was read last, `within` the element that holds text only, `tag` the start tag that is being read. */
type HtmlReaderState = { at: number; within: string | null; tag: OpenTag | null; isInComment: boolean }

type Reading = Readonly<{ html: string; reader: Partial<HtmlReader>; foreign: ForeignContent; state: HtmlReaderState; texts: Texts }>

type TokenReader = Readonly<{
  callbacks: TokenizerCallbacks
  /** Says whether markup may begin here: all before it is read, and it is inside of nothing. */
  isBefore: (place: number) => boolean
}>

function tokenReader(html: string, reader: Partial<HtmlReader>, foreign: ForeignContent): TokenReader {
  const state: HtmlReaderState = { at: 0, within: null, tag: null, isInComment: false }
  const reading = { html, reader, foreign, state, texts: joined((text) => reader.text?.(text, state.within)) }
  const isBefore = (place: number): boolean => {
    if (state.tag !== null || state.within !== null) return false
    // There is no callback for an end tag without a name, nor yet for a `<` that the next one makes a text.
    while (html.startsWith('</>', state.at)) state.at += 3
    return state.at === place || (state.at === place - 1 && html.charAt(state.at) === '<')
  }
  const callbacks = {
    ...{ isInForeignContext: foreign.isForeign, onend: () => end(reading) },
    ...{ onattribend: ignored, onattribentity: ignored, onprocessinginstruction: ignored, ontextentity: ignored },
    ...tagCallbacks(reading),
    ...textCallbacks(reading),
  }
  return { callbacks, isBefore }
}

const ignored = (): void => undefined

type TagCallbacks = 'onopentagname' | 'onattribname' | 'onattribdata' | 'onopentagend' | 'onselfclosingtag' | 'onclosetag'

function tagCallbacks({ html, reader, foreign, state, texts }: Reading): Pick<TokenizerCallbacks, TagCallbacks> {
  const nameIn = (from: number, to: number): string => html.slice(from, to).toLowerCase()
  const endTag = (read: Span & Readonly<{ name: string }>): void => {
    if (state.within === null) foreign.end(read.name)
    state.within = null
    reader.endTag?.(read)
  }
  const startTag = (close: number, isSelfClosing: boolean): void => {
    if (state.tag === null) return
    const { from, name, attributes } = state.tag
    const to = close + 1
    Object.assign(state, { tag: null, at: to })
    if (name.startsWith('/')) {
      endTag({ from, to, name: name.slice(1) })
      return
    }
    if (TEXT_ONLY.has(name) && !foreign.isForeign()) state.within = name
    foreign.start(name, isSelfClosing)
    reader.startTag?.({ from, to, name, attributes })
  }
  return {
    onopentagname: (start, nameEnd) => {
      texts.end()
      state.tag = { from: start - 1, name: nameIn(start, nameEnd), attributes: [] }
    },
    onattribname: (start, nameEnd) => {
      state.tag?.attributes.push({ name: nameIn(start, nameEnd), value: null })
    },
    onattribdata: (from, to) => {
      const attribute = state.tag?.attributes.at(-1)
      if (attribute !== undefined) attribute.value = { from: attribute.value?.from ?? from, to }
    },
    onopentagend: (close) => startTag(close, false),
    // `< / >` closes nothing.
    onselfclosingtag: (close) => startTag(close, html.charAt(close - 1) === '/'),
    onclosetag: (start, nameEnd) => {
      texts.end()
      const close = html.indexOf('>', nameEnd)
      if (close === -1) return
      state.at = close + 1
      endTag({ from: start - 2, to: close + 1, name: nameIn(start, nameEnd) })
    },
  }
}

function textCallbacks({
  html,
  reader,
  state,
  texts,
}: Reading): Pick<TokenizerCallbacks, 'ontext' | 'oncdata' | 'oncomment' | 'ondeclaration'> {
  /** `close` is the place of its `>`, or the end of the html. */
  const comment = (start: number, close: number): void => {
    texts.end()
    state.isInComment = close === html.length
    state.at = Math.min(close + 1, html.length)
    reader.comment?.({ from: html.lastIndexOf('<', start - 1), to: state.at })
  }
  return {
    ontext: (from, to) => {
      // The rest of a tag that never ends has no place.
      if (from < 0 || from === to) return
      texts.add(from, to)
      state.at = to
    },
    oncdata: (from, to, offset) => {
      texts.end()
      if (from < to - offset) texts.add(from, to - offset)
      texts.end()
      state.at = to + 1
    },
    oncomment: comment,
    ondeclaration: comment,
  }
}

function end({ html, reader, state, texts }: Reading): void {
  texts.end()
  const { tag, at, within, isInComment } = state
  if (tag !== null) reader.unclosed?.({ ...tag, to: html.length })
  else if (BEGINS.test(html.slice(at))) reader.unclosed?.({ from: at, to: html.length, name: '', attributes: [] })
  else if (isInComment || within !== null || html.endsWith('</')) reader.unclosed?.(null)
}

/** This has begun, and the tokenizer gives it only at its end. */
const BEGINS = /<(?:\/?[a-z]|!)/i

/** Texts side by side are one: the tokenizer parts them at each `<` that opens nothing. */
function joined(tell: (text: Span) => void): Texts {
  let text: Span | null = null
  const end = (): void => {
    if (text !== null) tell(text)
    text = null
  }
  return {
    add: (from, to) => {
      if (text !== null && text.to !== from) end()
      text = { from: text?.from ?? from, to }
    },
    end,
  }
}
