import type { ClientBase, QueryConfig } from 'pg'
import type { Sql } from '../projection.ts'

/** A batch is one transaction, and its end is the run's. Inside a function or a DO block Postgres itself refuses to end it. */
const FORBIDDEN = new Set(['abort', 'begin', 'commit', 'end', 'prepare', 'release', 'rollback', 'savepoint', 'start'])
const FIRST_WORD = /^\s*([a-z]+|\()/i

const assertAllowed = (text: string): void => {
  const word = FIRST_WORD.exec(text)?.[1]?.toLowerCase()
  if (word === undefined) throw new Error('a statement must begin with its command, not with a comment or another sign')
  if (FORBIDDEN.has(word)) throw new Error(`${word} is not for a projection: its batch is one transaction, which the run commits`)
}

/** The extended protocol takes one statement a call; pg uses the simple one where there are no values. */
const single = (text: string, values: readonly unknown[]): QueryConfig & Readonly<{ queryMode: 'extended' }> => ({
  text,
  values: [...values],
  queryMode: 'extended',
})

/** `sql` for one call of `init` or `applyBatch`; `end` when that has ended: a statement that it did not wait for is refused from then on. */
export function statements(client: ClientBase): Readonly<{ sql: Sql; end: () => void }> {
  let ended = false
  return {
    sql: async <Row extends object>(text: string, values: readonly unknown[] = []) => {
      if (ended) throw new Error('sql was called after its batch had ended: await every call')
      assertAllowed(text)
      const { rows } = await client.query<Row>(single(text, values))
      return rows
    },
    end: () => {
      ended = true
    },
  }
}
