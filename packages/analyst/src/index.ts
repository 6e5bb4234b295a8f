export type { AnalystEvent, EventType } from './event.ts'
export { projection, type Sql } from './projection.ts'
export { type Rows, table } from './table.ts'
