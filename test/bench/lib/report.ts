/** What a figure must reach; of a row with a baseline, what its ratio must reach. */
export type Target = Readonly<{ atLeast: number } | { atMost: number } | { below: number }>

/** `ratio` is value / baseline; `sense` says from which side the target is meant. */
export type ReportRow = Readonly<{
  name: string
  unit: string
  value: number
  baseline?: number
  ratio?: number
  target?: number
  sense?: '≥' | '≤' | '<'
  met?: boolean
}>

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const rounded = (value: number): number => (Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 100) / 100)

type Judged = Pick<ReportRow, 'target' | 'sense' | 'met'>

const judge = (target: Target, figure: number): Judged => {
  if ('atLeast' in target) return { target: target.atLeast, sense: '≥', met: figure >= target.atLeast }
  if ('atMost' in target) return { target: target.atMost, sense: '≤', met: figure <= target.atMost }
  return { target: target.below, sense: '<', met: figure < target.below }
}

/** A figure, with what it is measured against. */
export function row(name: string, unit: string, value: number, more: Readonly<{ baseline?: number; target?: Target }> = {}): ReportRow {
  const ratio = more.baseline === undefined ? undefined : value / more.baseline
  return {
    name,
    unit,
    value: rounded(value),
    ...(more.baseline !== undefined && { baseline: rounded(more.baseline) }),
    ...(ratio !== undefined && { ratio: rounded(ratio) }),
    ...(more.target && judge(more.target, ratio ?? value)),
  }
}

const cell = (value: unknown): string => (value === undefined ? '' : typeof value === 'number' ? value.toLocaleString('en') : String(value))

/** The table people read: one line a row, columns as wide as they need. */
export function table(rows: readonly ReportRow[]): string {
  const head = ['what', 'value', 'unit', 'baseline', 'ratio', 'target', 'met']
  const body = rows.map((r) => [
    r.name,
    cell(r.value),
    r.unit,
    cell(r.baseline),
    cell(r.ratio),
    r.target === undefined ? '' : `${r.sense} ${cell(r.target)}`,
    r.met === undefined ? '' : r.met ? 'yes' : 'NO',
  ])
  const widths = head.map((title, i) => Math.max(title.length, ...body.map((line) => line[i]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells.map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))).join('  ')
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
