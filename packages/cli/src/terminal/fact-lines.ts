import type { Fact } from '@tidings/evidence'
import { columns } from './columns.ts'

/** Facts under each other: when, where in the log, which event, and what it says. Leading zeros of a position are for sorting. */
export function factLines(facts: readonly Fact[]): readonly string[] {
  return columns(facts.map(({ at, position, type, says }) => [at, position.replaceAll(/(^|-)0+(?=\d)/g, '$1'), type, says]))
}
