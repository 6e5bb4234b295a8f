import type { CampaignRow } from '@tidings/read-models'
import type { RawBuilder } from 'kysely'
import { type SortOrder, sortOrder } from '../sort-order.ts'
import { foldedName } from './folded-name.ts'

type Column = keyof CampaignRow | RawBuilder<string>

/** The order that a `sort` of the campaign list asks for; last changed first by default (contract: Pagination). */
export const campaignOrder: (sort: string | undefined) => SortOrder<Column> = sortOrder<Column>(
  {
    createdAt: { column: 'created_at', bare: 'desc' },
    updatedAt: { column: 'updated_at', bare: 'desc' },
    name: { column: foldedName, bare: 'asc' },
    scheduleAt: { column: 'schedule_at', bare: 'desc' },
    sentAt: { column: 'sent_at', bare: 'desc' },
  },
  { column: 'updated_at', direction: 'desc' },
)
