import { pipeline, Readable } from 'node:stream'
import { OperationFailed } from '@tidings/config'
import { CsvError, type Info, parse } from 'csv-parse'
import { type ColumnMap, type Field, fieldsOfHeader } from './columns.ts'
import { cleanCell } from './csv-cell.ts'
import { type FileRow, LONGEST_LINE } from './row.ts'

type CsvFile = Readonly<{ file: string; text: AsyncGenerator<string>; map: ColumnMap }>

const SEPARATORS = [',', ';', '\t'] as const

/** The rows of a CSV text. Throws `WrongColumns`, or one sentence where the text is no CSV. */
export async function* csvRows({ file, text, map }: CsvFile): AsyncGenerator<FileRow> {
  const { begin, skippedLines, separator } = await beginOf(text)
  const lines = Readable.from(pieces(begin, text), { objectMode: false, encoding: 'utf8' })
  const parser = parse({
    ...{ delimiter: separator, record_delimiter: '\n', trim: true, info: true },
    ...{ relax_column_count: true, relax_quotes: true, skip_empty_lines: true, max_record_size: LONGEST_LINE },
  })
  // The reader of the parser gets the error of either.
  pipeline(lines, parser, () => undefined)
  let fields: readonly (Field | null)[] | null = null
  let end = skippedLines
  try {
    for await (const { record, info } of parser as AsyncIterable<Readonly<{ record: readonly string[]; info: Info }>>) {
      end = info.lines + skippedLines
      const line = end - breaksIn(record)
      if (fields === null) fields = headerOf(record, map)
      else if (record.some((cell) => cell !== '')) yield rowOf(line, record, fields)
    }
  } catch (error) {
    throw error instanceof CsvError ? new OperationFailed(`${file} cannot be read from line ${end + 1} on: ${said(error)}`) : error
  }
  if (fields === null) throw new OperationFailed(`${file} is empty: its first line names the columns.`)
}

const said = ({ code }: CsvError): string =>
  code === 'CSV_QUOTE_NOT_CLOSED' ? 'a quote is opened there and never closed.' : `a line is longer than ${LONGEST_LINE} bytes (${code}).`

async function* pieces(begin: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (begin !== '') yield begin
  for await (const piece of rest) if (piece !== '') yield piece
}

const breaksIn = (record: readonly string[]): number =>
  record.reduce((sum, cell) => sum + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 0)

/** The text up to the end of the header, at least; what a spreadsheet says of its separator (`sep=;`) is left out. */
const beginOf = async (text: AsyncGenerator<string>): Promise<Readonly<{ begin: string; skippedLines: number; separator: string }>> => {
  let begin = ''
  for (let next = await text.next(); next.done !== true; next = await text.next()) {
    begin += next.value
    if (begin.trimStart().includes('\n') || begin.length > LONGEST_LINE) break
  }
  const said = /^sep=([,;\t|])\n/i.exec(begin)
  if (said !== null) return { begin: begin.slice(said[0].length), skippedLines: 1, separator: said[1] ?? ',' }
  return { begin, skippedLines: 0, separator: separatorOf(begin) }
}

/** The separator that the header has most of, outside of quotes. */
const separatorOf = (text: string): string => {
  const [line = ''] = text.trimStart().split('\n', 1)
  const header = line.replaceAll(/"[^"]*"/g, '')
  const counted = SEPARATORS.map((separator) => ({ separator, count: header.split(separator).length }))
  return counted.reduce((most, one) => (one.count > most.count ? one : most)).separator
}

/** Columns without a name at the end are none. */
const headerOf = (record: readonly string[], map: ColumnMap): readonly (Field | null)[] => {
  const names = record.map((cell) => cleanCell(cell))
  return fieldsOfHeader(names.slice(0, names.findLastIndex((name) => name !== '') + 1), map)
}

const rowOf = (line: number, record: readonly string[], fields: readonly (Field | null)[]): FileRow => {
  if (record.slice(fields.length).some((cell) => cleanCell(cell) !== ''))
    return { line, why: `it has ${record.length} cells, and the header has ${fields.length}: a separator in a cell must stand in quotes` }
  const cells = new Map<Field, string>()
  for (const [n, field] of fields.entries()) {
    const cell = cleanCell(record[n] ?? '')
    if (field !== null && cell !== '') cells.set(field, cell)
  }
  return { line, cells }
}
