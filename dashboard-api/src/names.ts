import type { CampaignId, FlowId, ListId, TemplateId } from '@tidings/domain'
import type { WorkspaceQueries } from '@tidings/read-models'

type WantedNames = Readonly<{
  templates?: readonly (TemplateId | null)[]
  campaigns?: readonly (CampaignId | null)[]
  flows?: readonly (FlowId | null)[]
  lists?: readonly (ListId | null)[]
}>

/** What records are called. One that is shown no more has no name. */
export type Names = ReadonlyMap<string, string>

/** The names of records of several kinds, by id: a statement for each kind that is asked for. */
export async function namesOf(own: WorkspaceQueries, wanted: WantedNames): Promise<Names> {
  const templates = distinct(wanted.templates)
  const campaigns = distinct(wanted.campaigns)
  const flows = distinct(wanted.flows)
  const lists = distinct(wanted.lists)
  const found = await Promise.all([
    templates.length === 0 ? [] : own.templates().select(['id', 'name']).where('id', 'in', templates).execute(),
    campaigns.length === 0 ? [] : own.campaigns().select(['id', 'name']).where('id', 'in', campaigns).execute(),
    flows.length === 0 ? [] : own.flows().select(['id', 'name']).where('id', 'in', flows).execute(),
    lists.length === 0 ? [] : own.lists().select(['id', 'name']).where('id', 'in', lists).execute(),
  ])
  return new Map(found.flat().map(({ id, name }) => [id, name]))
}

const distinct = <Id>(ids: readonly (Id | null)[] = []): Id[] => [...new Set(ids.filter((id) => id !== null))]
