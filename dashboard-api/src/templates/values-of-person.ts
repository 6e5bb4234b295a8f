import { type ContactId, type MergeValues, mergeValues, Refused, type WorkspaceId } from '@tidings/domain'
import { LINK_PATHS } from '@tidings/mail-content'
import { profileById } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'

type ChosenPerson = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId | undefined }>

/** Finds the merge values of the person whom a preview is made for; without a person every tag has its fallback. The link to unsubscribe leads nowhere. */
export function personValues({ db, publicUrl }: Pick<DashboardDependencies, 'db' | 'publicUrl'>) {
  const find = profileById(db)
  const links = { unsubscribeUrl: () => `${publicUrl}${LINK_PATHS.unsubscribe}?t=preview` }
  return async ({ workspaceId, contactId }: ChosenPerson): Promise<MergeValues> => {
    if (contactId === undefined) return mergeValues(null, {}, links)
    const row = await find(workspaceId, contactId)
    if (row === undefined) throw new Refused('profile_not_found')
    const { first_name, last_name, email, phone, custom_properties } = row
    return mergeValues({ firstName: first_name, lastName: last_name, email, phone, customProperties: custom_properties }, {}, links)
  }
}
