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

const SPLIT = /(?<!\\)\|/

/** Several texts in one cell, with `|` between them. */
export function joinedTexts(texts: readonly string[]): string {
  return texts.map((text) => text.replaceAll('|', '\\|')).join('|')
}

export function splitTexts(cell: string): readonly string[] {
  return cell
    .split(SPLIT)
    .map((text) => cleanCell(text.replaceAll('\\|', '|')))
    .filter((text) => text !== '')
}
