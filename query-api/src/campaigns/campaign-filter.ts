import type { ListCampaignsQuery } from '@tidings/contracts'
import type { ReadModels } from '@tidings/read-models'
import { type SelectQueryBuilder, sql } from 'kysely'
import { likePattern } from '../like-pattern.ts'
import { withOneSigma } from '../one-sigma.ts'

type Rows = SelectQueryBuilder<ReadModels, 'campaigns', object>

/** The filters of the campaign list (contract: Lookup lists; N391). `statuses` replaces `status`. */
export function filterCampaigns(rows: Rows, query: ListCampaignsQuery): Rows {
  const { status, statuses = status && [status], channel, search, tagIds, segmentId, archived = false, multiVariant } = query
  return rows.where((where) =>
    where.and([
      where('archived', '=', archived),
      ...(statuses === undefined ? [] : [where('status', 'in', statuses)]),
      ...(channel === undefined ? [] : [where('channel', '=', channel)]),
      ...(search === undefined ? [] : [where(withOneSigma(comparedName), 'like', sought(search))]),
      ...(tagIds === undefined ? [] : [sql<boolean>`tag_ids && ${tagIds}::text[]`]),
      ...(segmentId === undefined ? [] : [where('list_id', '=', segmentId)]),
      ...(multiVariant === undefined ? [] : [where('variants', multiVariant ? '>' : '<=', 1)]),
    ]),
  )
}

/** A name from before M46 may be in another form than the search. */
const comparedName = sql<string>`lower(normalize(name, nfc) collate "default")`

const sought = (search: string) => withOneSigma(sql<string>`lower(${likePattern(search)} collate "default")`)
