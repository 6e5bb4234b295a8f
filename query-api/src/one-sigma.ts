import { type RawBuilder, sql } from 'kysely'

/** The text with one sigma for all three: Greek has two small ones, and a database may leave a large one as it is, or make either of it. */
export function withOneSigma(text: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`translate(${text}, 'Σς', 'σσ')`
}
