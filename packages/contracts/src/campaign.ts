import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds } from './examples.ts'
import { commaList, ListUuid, oneOf, text, Uuid } from './kinds.ts'
import { pageOf, richQuery, richSentences } from './pagination.ts'

const { Optional } = Type
export const CampaignChannel = named('CampaignChannel', oneOf('email', 'sms'), 'What a campaign is sent by.')
export const CampaignStatus = named(
  'CampaignStatus',
  oneOf('draft', 'scheduled', 'sending', 'sent', 'paused', 'cancelled', 'failed'),
  'Where a campaign is in its life.',
)

export const CampaignOption = described(
  Type.Object({ value: Uuid, label: Type.String(), channel: CampaignChannel, status: CampaignStatus }),
  {
    name: 'CampaignOption',
    about: 'A campaign, as an entry of a picker.',
    fields: {
      value: 'The UUID of the campaign.',
      label: 'The name of the campaign.',
      channel: 'What the campaign is sent by.',
      status: 'Where the campaign is in its life.',
    },
    example: { value: exampleIds.campaign, label: 'Winter sale', channel: 'email', status: 'draft' },
  },
)
export type CampaignOption = Static<typeof CampaignOption>

export const CampaignPage = pageOf(CampaignOption)

const query = Type.Object({
  ...richQuery,
  status: Optional(CampaignStatus),
  channel: Optional(CampaignChannel),
  search: Optional(text(255)),
  sort: Optional(text(64)),
  tagIds: Optional(commaList(Uuid, 200)),
  statuses: Optional(commaList(CampaignStatus, 50)),
  segmentId: Optional(ListUuid),
  archived: Optional(Type.Boolean({ default: false })),
  multiVariant: Optional(Type.Boolean()),
})

/** The last four are of N391; `statuses` replaces `status`. */
export const ListCampaignsQuery = described(query, {
  fields: {
    ...richSentences,
    status: 'Only campaigns in this status.',
    channel: 'Only campaigns of this channel.',
    search: 'Only campaigns whose name holds this text, in any case.',
    sort: '`-col`, `col:asc`, `col:desc` or `col`, of `createdAt`, `updatedAt`, `name`, `scheduleAt`, `sentAt`. An unknown column is ignored.',
    tagIds: 'Only campaigns that carry any of these tags: UUIDs with commas between them.',
    statuses: 'Only campaigns in one of these statuses, with commas between them; replaces `status`.',
    segmentId: 'Only campaigns to this list.',
    archived: 'Only the archived ones (`true` or `1`), or only the others (`false` or `0`).',
    multiVariant: 'Only campaigns with more than one variant (`true` or `1`), or with one (`false` or `0`).',
  },
})
export type ListCampaignsQuery = Static<typeof ListCampaignsQuery>
