import type { Comment } from './comments.ts'

const FENCE = /^\s*(?:```|~~~)/
const MARKS = /^\s*(?:[-*+] (?:\[[ x]\] )?|\d+\. |> )?(?:\*\*)?/

/** The paragraphs, list items and table cells of a page, as comments are: without code blocks and headings. */
export function proseOf(text: string): readonly Comment[] {
  const parts: { line: number; texts: string[] }[] = []
  let isCode = false
  let open: { line: number; texts: string[] } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    if (FENCE.test(line)) isCode = !isCode
    const isCell = line.startsWith('|')
    const isBreak = isCode || FENCE.test(line) || line.trim() === '' || /^#+ /.test(line) || isCell
    if (isCell && !isCode) for (const cell of line.split('|').slice(1, -1)) parts.push({ line: index + 1, texts: [cell.trim()] })
    if (isBreak) open = undefined
    else if (open === undefined || /^\s*(?:[-*+]|\d+\.) /.test(line)) {
      open = { line: index + 1, texts: [line.replace(MARKS, '')] }
      parts.push(open)
    } else open.texts.push(line.trim())
  }
  return parts
}
