import { cpus, release, totalmem } from 'node:os'

/** `ratio` is value / baseline; `target` is what the figure must reach, `lowerIsBetter` says from which side. */
export type Row = Readonly<{
  name: string
  unit: string
  value: number
  baseline?: number
  ratio?: number
  target?: number
  met?: boolean
  note?: string
}>

export const machine = () => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  kernel: release(),
  node: process.version,
})

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const rounded = (value: number): number => (Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 100) / 100)

type Target = Readonly<{ atLeast: number } | { atMost: number }>

/** A figure, with what it is measured against. A target beside a baseline is a target for the ratio. */
export const row = (name: string, unit: string, value: number, more: { baseline?: number; target?: Target; note?: string } = {}): Row => {
  const ratio = more.baseline === undefined ? undefined : value / more.baseline
  const judged = ratio ?? value
  const target = more.target
  const met = target === undefined ? undefined : 'atLeast' in target ? judged >= target.atLeast : judged <= target.atMost
  return {
    name,
    unit,
    value: rounded(value),
    ...(more.baseline === undefined ? {} : { baseline: rounded(more.baseline) }),
    ...(ratio === undefined ? {} : { ratio: rounded(ratio) }),
    ...(target === undefined ? {} : { target: 'atLeast' in target ? target.atLeast : target.atMost }),
    ...(met === undefined ? {} : { met }),
    ...(more.note === undefined ? {} : { note: more.note }),
  }
}

const cell = (value: unknown): string => (value === undefined ? '' : typeof value === 'number' ? value.toLocaleString('en') : String(value))

/** The table people read: one line a row, columns as wide as they need. */
export const table = (rows: readonly Row[]): string => {
  const head = ['what', 'value', 'unit', 'baseline', 'ratio', 'target', 'met']
  const body = rows.map((r) => [
    r.name,
    cell(r.value),
    r.unit,
    cell(r.baseline),
    cell(r.ratio),
    cell(r.target),
    r.met === undefined ? '' : r.met ? 'yes' : 'NO',
  ])
  const widths = head.map((title, i) => Math.max(title.length, ...body.map((line) => line[i]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells.map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))).join('  ')
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
