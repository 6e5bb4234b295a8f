import type { Field } from './columns.ts'

/** One line of a file: the texts of a CSV file or the values of an object by field, without the empty ones; or why it is no line of people. `line`: its first line, counted from 1. */
export type FileRow = Readonly<{ line: number; cells: ReadonlyMap<Field, unknown> }> | Readonly<{ line: number; why: string }>

/** Nothing that is longer is one line of people. */
export const LONGEST_LINE = 1024 * 1024
