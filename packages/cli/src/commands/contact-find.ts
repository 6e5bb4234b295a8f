import type { Profile } from '@tidings/contracts'
import { kyselyOn } from '@tidings/postgres'
import { profileById, type ReadModels, toProfile } from '@tidings/read-models'
import { contactName, namedContact, noContact } from '../operator/existing-contact.ts'
import { withOperator } from '../operator/with-operator.ts'
import { columns } from '../terminal/fact-lines.ts'

/** `tidings contact find`: the profile as the API shows it (M65). */
export function find(value: string, { workspace, json }: Readonly<{ workspace: string; json: boolean }>): Promise<void> {
  contactName(value)
  return withOperator(json, async (operator) => {
    const asked = { workspace, id: value }
    const { workspaceId, contactId } = await namedContact(operator, asked)
    await operator.settle(await operator.stores.log.head())
    const row = await profileById(kyselyOn<ReadModels>(operator.stores.pool))(workspaceId, contactId)
    if (row === undefined) throw noContact(asked)
    const profile = toProfile(row)
    return { json: profile, lines: linesOf(profile) }
  })
}

/** Fields that were never set are left out. */
const linesOf = (profile: Profile): readonly string[] =>
  columns(
    Object.entries(profile)
      .map(([field, value]): readonly [string, string] => [field, shown(value)])
      .filter(([, text]) => text !== ''),
  )

const shown = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'object') return String(value)
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value)
}
