/** Builds the text of a mail. */
export type TextWriter = Readonly<{
  /** Text as it is read in html, where white space is one space. */
  write: (text: string) => void
  /** Text whose lines and blanks count. */
  writeLines: (text: string) => void
  /** Writes at least so many line breaks before the next word; none at the ends. */
  breakLines: (lines: number) => void
  /** One more line break, as `<br>` makes it. */
  breakLine: () => void
  /** A space before the next word, unless a line begins there. */
  space: () => void
  /** What the next word is preceded by on its line. */
  mark: (marker: string) => void
  /** Right behind the last word. */
  append: (text: string) => void
  /** How many pieces there are. */
  size: () => number
  /** All of it, or what came after so many pieces. */
  text: (from?: number) => string
}>

/** Two empty lines; who leaves more leaves room, not sense. */
const MAX_BREAKS = 3
const BREAKS = ['', '\n', '\n\n', '\n\n\n']
const NEEDS_FOLDING = /[\u034f\t-\r\u00a0\u2007\u200b-\u200d\u2060\ufeff]| {2}/
/** White space, and the letters without a width that fill up the line that a list of mails shows. */
const BLANKS = /[\u034f\t-\r \u00a0\u2007\u200b-\u200d\u2060\ufeff]+/g
const SPACE = /[\t-\r \u00a0\u2007]/
/** Soft hyphens, and controls that are no white space; with a look ahead at each letter it took three times as long. */
const DROPPED = /[^\P{Cc}\t-\r]|\u00ad/gu

export function textWriter(): TextWriter {
  const out: string[] = []
  let breaks = 0
  let isSpaced = false
  let marker = ''

  const word = (text: string): void => {
    if (out.length > 0 && breaks > 0) out.push(BREAKS[breaks] ?? '')
    else if (out.length > 0 && isSpaced) out.push(' ')
    if (marker !== '') out.push(marker)
    out.push(text)
    breaks = 0
    isSpaced = false
    marker = ''
  }
  const breakLines = (lines: number): void => {
    if (lines > breaks) breaks = lines
  }
  const breakLine = (): void => {
    if (breaks < MAX_BREAKS) breaks++
  }
  const space = (): void => {
    isSpaced = true
  }
  return {
    write: (text) => {
      const folded = folding(text)
      const trimmed = folded.trim()
      if (folded.startsWith(' ')) space()
      if (trimmed === '') return
      word(trimmed)
      if (folded.endsWith(' ')) space()
    },
    writeLines: (text) => {
      text.split(/\r\n?|\n/).forEach((line, n) => {
        if (n > 0) breakLine()
        const kept = line.replace(DROPPED, '').trimEnd()
        if (kept !== '') word(kept)
      })
    },
    breakLines,
    breakLine,
    space,
    mark: (text) => {
      marker = text
    },
    append: (text) => {
      out.push(text)
    },
    size: () => out.length,
    text: (from = 0) => (from === 0 ? out : out.slice(from)).join(''),
  }
}

/** One such letter between two others joins or parts them, as in Persian or in an emoji; more of them, or one beside a space, are filling. */
const folding = (text: string): string => {
  const kept = text.replace(DROPPED, '')
  if (!NEEDS_FOLDING.test(kept)) return kept
  return kept.replace(BLANKS, (blanks) => (SPACE.test(blanks) ? ' ' : blanks.length === 1 ? blanks : ''))
}
