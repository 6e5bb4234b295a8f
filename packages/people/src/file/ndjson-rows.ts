import { OperationFailed } from '@tidings/config'
import { type ColumnMap, type Field, fieldOf } from './columns.ts'
import { type FileRow, LONGEST_LINE } from './row.ts'
import { WrongColumns } from './wrong-columns.ts'

type NdjsonFile = Readonly<{ file: string; text: AsyncGenerator<string>; map: ColumnMap }>

/** The rows of a text with an object a line. Throws `WrongColumns` for a name that is neither known nor mapped. */
export async function* ndjsonRows({ file, text, map }: NdjsonFile): AsyncGenerator<FileRow> {
  let [rest, line] = ['', 0]
  for await (const piece of text) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const one of lines) {
      line++
      if (one.trim() !== '') yield rowOf(line, one, map)
    }
    if (rest.length > LONGEST_LINE)
      throw new OperationFailed(`${file} cannot be read from line ${line + 1} on: it is longer than ${LONGEST_LINE} bytes.`)
  }
  if (rest.trim() !== '') yield rowOf(line + 1, rest, map)
}

const rowOf = (line: number, text: string, map: ColumnMap): FileRow => {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return { line, why: 'it is no JSON' }
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return { line, why: 'it is no JSON object' }
  const cells = new Map<Field, unknown>()
  for (const [name, value] of Object.entries(parsed)) {
    const field = known(name, line, map)
    if (field === null || value === null || value === '') continue
    if (cells.has(field)) return { line, why: `it says ${field} twice` }
    cells.set(field, value)
  }
  return { line, cells }
}

const known = (name: string, line: number, map: ColumnMap): Field | null => {
  try {
    return fieldOf(name.trim(), map)
  } catch (error) {
    throw error instanceof WrongColumns ? new WrongColumns(`Line ${line}: ${error.message}`) : error
  }
}
