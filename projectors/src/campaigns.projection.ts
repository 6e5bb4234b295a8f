import type { CampaignAudienceTaken, CampaignEvent, CampaignId, WorkspaceId } from '@tidings/domain'
import { defineProjection, defineTable, type Rows, row } from '@tidings/projections'
import type { CampaignRow } from '@tidings/read-models'

const campaigns = defineTable<CampaignRow<string>>({
  name: 'campaigns',
  columns: {
    workspace_id: 'uuid',
    id: 'uuid',
    name: 'text',
    channel: 'text',
    status: 'text',
    tag_ids: 'text[]',
    list_id: 'uuid?',
    template_id: 'uuid?',
    archived: 'boolean',
    variants: 'integer',
    schedule_at: 'timestamptz?',
    sent_at: 'timestamptz?',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  key: ['workspace_id', 'id'],
})

type EventOfCampaign = Readonly<{ data: Readonly<{ campaignId: CampaignId }>; meta: Readonly<{ workspaceId: WorkspaceId; at: string }> }>

const change = (
  { data: { campaignId }, meta: { workspaceId, at } }: EventOfCampaign,
  rows: Rows,
  changed: Partial<CampaignRow<string>>,
): void => {
  const known = rows.get(campaigns, workspaceId, campaignId)
  if (known !== undefined) rows.put(campaigns, { ...known, ...changed, updated_at: at })
}

/** The campaigns of each workspace. Every page of them counts and filters them all, so that they need no index but their key. */
export const campaignsProjection = defineProjection<Exclude<CampaignEvent, CampaignAudienceTaken>>({
  name: 'campaigns',
  version: 1,
  tables: [campaigns],
  personal: [],
  reads: ({ type, data, meta: { workspaceId } }) => (type === 'CampaignCreated' ? [] : [row(campaigns, workspaceId, data.campaignId)]),
  on: {
    CampaignCreated: ({ data, meta: { workspaceId, at } }, rows) =>
      rows.create(campaigns, {
        workspace_id: workspaceId,
        id: data.campaignId,
        name: data.name,
        channel: data.channel,
        status: data.status,
        tag_ids: data.tagIds,
        list_id: data.listId,
        template_id: data.templateId,
        archived: data.archived,
        variants: data.variants,
        schedule_at: null,
        sent_at: null,
        created_at: at,
        updated_at: at,
      }),

    CampaignChanged: (event, rows) => {
      const { tagIds, listId, templateId, archived, variants } = event.data
      change(event, rows, { tag_ids: tagIds, list_id: listId, template_id: templateId, archived, variants })
    },
    CampaignScheduled: (event, rows) => change(event, rows, { status: 'scheduled', schedule_at: event.data.scheduleAt }),
    CampaignUnscheduled: (event, rows) => change(event, rows, { status: 'draft', schedule_at: null }),
    CampaignStarted: (event, rows) => change(event, rows, { status: 'sending' }),
    CampaignPaused: (event, rows) => change(event, rows, { status: 'paused' }),
    CampaignResumed: (event, rows) => change(event, rows, { status: 'sending' }),
    CampaignCancelled: (event, rows) => change(event, rows, { status: 'cancelled' }),
    CampaignSent: (event, rows) => change(event, rows, { status: 'sent', sent_at: event.meta.at }),
    CampaignFailed: (event, rows) => change(event, rows, { status: 'failed' }),
  },
})
