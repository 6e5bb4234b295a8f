import type { Fact } from '@tidings/evidence'

/** Facts under each other: when, where in the log, which event, and what it says. Leading zeros of a position are for sorting. */
export function factLines(facts: readonly Fact[]): readonly string[] {
  return columns(facts.map(({ at, position, type, says }) => [at, position.replaceAll(/(^|-)0+(?=\d)/g, '$1'), type, says]))
}

/** Rows as lines whose columns are aligned, two blanks apart. The last cell of a row is as long as it is. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = []
  for (const row of rows) for (const [n, cell] of row.slice(0, -1).entries()) widths[n] = Math.max(widths[n] ?? 0, cell.length)
  return rows.map((row) => row.map((cell, n) => (n === row.length - 1 ? cell : cell.padEnd(widths[n] ?? 0))).join('  '))
}
