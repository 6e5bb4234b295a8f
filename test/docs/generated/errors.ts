import { refusals } from '@tidings/http'
import { table } from '../markdown.ts'

type Answer = Readonly<{ status: number; message: string; hidden?: true }>

/** Every refusal: its status, its code where the caller sees one, its sentence. Two that look alike to the caller are one line. */
export function errors(): string {
  const rows = Object.entries<Answer>(refusals).map(([code, { status, message, hidden }]) => [
    String(status),
    hidden ? '–' : `\`${code}\``,
    message,
  ])
  const unique = [...new Map(rows.map((row) => [row.join('\t'), row])).values()]
  const statusOf = (row: readonly string[]) => Number(row[0])
  return table(
    ['status', 'code', 'message'],
    unique.toSorted((a, b) => statusOf(a) - statusOf(b)),
  )
}
