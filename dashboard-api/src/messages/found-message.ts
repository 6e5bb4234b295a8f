import type { FoundMessage } from '@tidings/contracts'
import { personName } from '@tidings/domain'
import { type MessageRow, toMessageStatus, type WorkspaceQueries } from '@tidings/read-models'
import { namesOf } from '../names.ts'

/** The messages with the names of what they refer to. */
export async function foundMessages(own: WorkspaceQueries, rows: readonly MessageRow[]): Promise<FoundMessage[]> {
  const [people, names] = await Promise.all([
    peopleOf(own, rows),
    namesOf(own, {
      templates: rows.map(({ template_id }) => template_id),
      campaigns: rows.map(({ campaign_id }) => campaign_id),
      flows: rows.map(({ flow_id }) => flow_id),
    }),
  ])
  const named = (id: string | null) => (id === null ? null : { id, name: names.get(id) ?? null })
  return rows.map((row) => ({
    ...toMessageStatus(row),
    kind: row.kind,
    openedAt: row.opened_at?.toISOString() ?? null,
    clickedAt: row.clicked_at?.toISOString() ?? null,
    person: row.contact_id === null ? null : { id: row.contact_id, name: people.get(row.contact_id) ?? null },
    template: named(row.template_id),
    campaign: named(row.campaign_id),
    flow: named(row.flow_id),
  }))
}

/** What people are called: by name, else by address, else by number. An erased person is called nothing. */
const peopleOf = async (own: WorkspaceQueries, rows: readonly MessageRow[]): Promise<ReadonlyMap<string, string | null>> => {
  const ids = [...new Set(rows.map(({ contact_id }) => contact_id).filter((id) => id !== null))]
  if (ids.length === 0) return new Map()
  const found = await own.profiles().select(['id', 'first_name', 'last_name', 'email', 'phone']).where('id', 'in', ids).execute()
  return new Map(
    found.map(({ id, first_name: firstName, last_name: lastName, email, phone }) => [
      id,
      personName({ firstName, lastName, email, phone }),
    ]),
  )
}
