import { type Static, Type } from '@sinclair/typebox'
import { commaList, oneOf, text, Uuid } from './kinds.ts'
import { pageOf, richQuery } from './pagination.ts'

const { Optional } = Type
const Channel = oneOf('email', 'sms')
const Status = oneOf('draft', 'scheduled', 'sending', 'sent', 'paused', 'cancelled', 'failed')

export const CampaignOption = Type.Object({ value: Uuid, label: Type.String(), channel: Channel, status: Status })
export type CampaignOption = Static<typeof CampaignOption>

export const CampaignPage = pageOf(CampaignOption)

/** The last four are of N391; `statuses` replaces `status`. */
export const ListCampaignsQuery = Type.Object({
  ...richQuery,
  status: Optional(Status),
  channel: Optional(Channel),
  search: Optional(text(255)),
  sort: Optional(text(64)),
  tagIds: Optional(commaList(Uuid, 200)),
  statuses: Optional(commaList(Status, 50)),
  segmentId: Optional(Uuid),
  archived: Optional(Type.Boolean({ default: false })),
  multiVariant: Optional(Type.Boolean()),
})
export type ListCampaignsQuery = Static<typeof ListCampaignsQuery>
