import type { ContactId, WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'
import type { Person } from '../line/person-of.ts'

/** The contacts that the read side shows under the addresses of a line; it may be a moment behind. */
export type ShownIds = Readonly<Record<'email' | 'phone', ContactId | null>>

type FoundRow = Readonly<{ value: string; id: ContactId }>

/** One query a kind of address for all of the lines. A log from before M46 may have two contacts of one address: the eldest counts. */
export async function shownContacts(
  pool: Pool,
  workspaceId: WorkspaceId,
  people: readonly Person[],
): Promise<(person: Person) => ShownIds> {
  const find = async (column: 'email' | 'phone'): Promise<ReadonlyMap<string, ContactId>> => {
    const values = [...new Set(people.flatMap((person) => person[column] ?? []))]
    if (values.length === 0) return new Map()
    const { rows } = await pool.query<FoundRow>({
      name: `people by ${column}`,
      text: `select ${column} as value, id from read.profiles where workspace_id = $1 and ${column} = any($2::text[]) order by id desc`,
      values: [workspaceId, values],
    })
    return new Map(rows.map(({ value, id }) => [value, id]))
  }
  const [byEmail, byPhone] = await Promise.all([find('email'), find('phone')])
  return ({ email = '', phone = '' }) => ({ email: byEmail.get(email) ?? null, phone: byPhone.get(phone) ?? null })
}
