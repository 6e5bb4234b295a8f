/** What a spreadsheet would take for a formula. A number with its sign is none. */
const FORMULA = /^'*[=+\-@\t\r]/
const NUMBER = /^[+-]?\d[\d.]*$/
/** Blanks, and characters that are not seen, such as marks of the direction of a text. */
const AROUND = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu

/** A cell that no spreadsheet takes for a formula: `cellText` gives the text again. */
export function safeCell(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
}

/** The text of a cell: without what stands around it unseen, and without the apostrophe by which spreadsheets keep a text a text. */
export function cleanCell(cell: string): string {
  const text = cell.replace(AROUND, '')
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}

/** A cell in quotes where it needs them. */
export function quoted(cell: string): string {
  return /[",;\t\n\r]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** A bar, and what stands before it of the character that makes it a part of the text. */
const BAR = /(\\*)\|/g

/** Several texts in one cell, with `|` between them. */
export function joinedTexts(texts: readonly string[]): string {
  return texts.map((text, n) => safeCell(text).replaceAll(BAR, '$1$1\\|') + (n < texts.length - 1 ? endOf(text) : '')).join('|')
}

/** Again what the text ends with, so that the bar behind it stays one between texts. */
const endOf = (text: string): string => /\\*$/.exec(text)?.[0] ?? ''

export function splitTexts(cell: string): readonly string[] {
  const texts: string[] = []
  let [text, from] = ['', 0]
  for (const { 0: found, 1: before = '', index } of cell.matchAll(BAR)) {
    text += cell.slice(from, index) + before.slice(0, Math.floor(before.length / 2))
    from = index + found.length
    if (before.length % 2 === 1) text += '|'
    else {
      texts.push(text)
      text = ''
    }
  }
  return [...texts, text + cell.slice(from)].map(cleanCell).filter((one) => one !== '')
}
