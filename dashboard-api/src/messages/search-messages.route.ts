import type { Static } from '@sinclair/typebox'
import { normalizePhone, validEmail } from '@tidings/addresses'
import { MessageSearchPage, MessageSearchQuery } from '@tidings/contracts'
import { asCampaignId, asFlowId, type ContactId } from '@tidings/domain'
import { parseMoment } from '@tidings/evidence'
import { type App, invalidRequest } from '@tidings/http'
import { asMessageId, forWorkspace, type MessageRow, type ReadModels, type WorkspaceQueries } from '@tidings/read-models'
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { DashboardDependencies } from '../dependencies.ts'
import { onceBuilt } from '../not-built.ts'
import { foundMessages } from './found-message.ts'

const schema = {
  operationId: 'messages.search',
  summary: 'Messages by what they are, whose they are and what sent them, newest first',
  tags: ['messages'],
  querystring: MessageSearchQuery,
  response: { 200: MessageSearchPage },
}

const config = { access: 'session', dashboard: { role: 'member' } } as const

/**
 * Messages that one page looks at: no index is on what changes, so a rare status may be far apart. A page that has found too few of them says where it
 * stopped, and the next goes on there.
 */
const LOOKED_AT = 5_000

type MessagePlace = Readonly<Pick<MessageRow, 'queued_at' | 'id'>>
type Query = Static<typeof MessageSearchQuery>
/** The wanted messages: `of` is what an index finds them by, `matching` what each is asked for. */
type SearchedMessages = Readonly<{
  of: Readonly<{ contactId?: ContactId; campaignId?: string; from?: string; to?: string; after?: MessagePlace }>
  matching: Pick<Query, 'status' | 'outcome' | 'reason' | 'channel' | 'kind' | 'templateId' | 'flowId' | 'opened' | 'clicked'>
  limit: number
}>

export function searchMessages(app: App, { db }: Pick<DashboardDependencies, 'db'>): void {
  app.get('/messages', { schema, config }, async ({ tenant, query }) => {
    const { limit = 50 } = query
    const own = forWorkspace(db, tenant.workspaceId)
    const contactId = query.recipient === undefined ? query.contactId : await contactAt(own, query.recipient)
    const isUnknown = contactId === null || (query.contactId !== undefined && contactId !== query.contactId)
    const wanted = { of: placesOf(query, contactId ?? undefined), matching: query, limit }
    const { rows, next } = isUnknown ? { rows: [], next: null } : await onceBuilt(found(own, wanted))
    const items = await foundMessages(own, rows)
    return { items, limit, total: null, has_more: next !== null, next_cursor: next === null ? null : cursorOf(next) }
  })
}

const placesOf = ({ campaignId, from, to, after }: Query, contactId: ContactId | undefined): SearchedMessages['of'] => ({
  ...(contactId !== undefined && { contactId }),
  ...(campaignId !== undefined && { campaignId }),
  ...(from !== undefined && { from: moment('from', from) }),
  ...(to !== undefined && { to: moment('to', to) }),
  ...(after !== undefined && { after: placeOf(after) }),
})

/** The contact that has the address or number now, in whatever spelling (M46, M47); null where no contact has it. */
const contactAt = async (own: WorkspaceQueries, typed: string): Promise<ContactId | null> => {
  const all = own.profiles().select('id')
  const email = validEmail(typed.trim())
  if (email !== null) return (await all.where('email', '=', email).executeTakeFirst())?.id ?? null
  const workspace = await own.workspace().select('country').executeTakeFirst()
  const phone = normalizePhone(typed, workspace?.country ?? '')
  return phone === null ? null : ((await all.where('phone', '=', phone).executeTakeFirst())?.id ?? null)
}

/** A page at most, and where the next one begins; null where nothing follows. */
const found = async (
  own: WorkspaceQueries,
  wanted: SearchedMessages,
): Promise<Readonly<{ rows: readonly MessageRow[]; next: MessagePlace | null }>> => {
  const { of, matching, limit } = wanted
  const looked = lookedAt(own, of).limit(LOOKED_AT).as('looked')
  const rows = await matchingIn(own, own.messages().innerJoin(looked, 'looked.id', 'messages.id').selectAll('messages'), matching)
    .orderBy('messages.queued_at', 'desc')
    .orderBy('messages.id', 'desc')
    .limit(limit + 1)
    .execute()
  const last = rows[limit - 1]
  if (rows.length > limit && last !== undefined) return { rows: rows.slice(0, limit), next: last }
  const stopped = await lookedAt(own, of)
    .offset(LOOKED_AT - 1)
    .limit(1)
    .executeTakeFirst()
  return { rows, next: stopped ?? null }
}

type Messages<Row> = SelectQueryBuilder<ReadModels & { looked: MessagePlace }, 'messages' | 'looked', Row>

const matchingIn = <Row>(
  own: WorkspaceQueries,
  all: Messages<Row>,
  { status, outcome, reason, channel, kind, templateId, flowId, opened, clicked }: SearchedMessages['matching'],
) => {
  let wanted = all
  if (outcome !== undefined) wanted = wanted.where(outcomeIs(own, outcome))
  if (reason !== undefined) wanted = wanted.where(sql<boolean>`messages.failure_reason = ${reason}`)
  if (status !== undefined) wanted = wanted.where('messages.status', '=', status)
  if (channel !== undefined) wanted = wanted.where('messages.channel', '=', channel)
  if (kind !== undefined) wanted = wanted.where('messages.kind', '=', kind)
  if (templateId !== undefined) wanted = wanted.where('messages.template_id', '=', templateId)
  if (flowId !== undefined) wanted = wanted.where('messages.flow_id', '=', asFlowId(flowId))
  if (opened !== undefined) wanted = wanted.where('messages.opened_at', opened === 'true' ? 'is not' : 'is', null)
  if (clicked !== undefined) wanted = wanted.where('messages.clicked_at', clicked === 'true' ? 'is not' : 'is', null)
  return wanted
}

/** As `campaign_results` counts: whatever came later, a message that a provider took is sent. */
const outcomeIs = (own: WorkspaceQueries, outcome: NonNullable<Query['outcome']>): RawBuilder<boolean> => {
  switch (outcome) {
    case 'sent':
      return sql`(messages.sent_at is not null or messages.status in ('delivered', 'bounced', 'complained'))`
    case 'delivered':
      return sql`messages.delivered_at is not null`
    case 'opened':
      return sql`messages.opened_at is not null`
    case 'clicked':
      return sql`messages.clicked_at is not null`
    case 'unsubscribed': {
      const left = own.campaignResponses().select('message_id').where('response', '=', 'unsubscribed')
      return sql`exists (${left.whereRef('message_id', '=', sql.ref('messages.id'))})`
    }
    case 'notSent':
      return sql`messages.status in ('skipped', 'suppressed', 'failed')`
    default:
      return sql`messages.status = ${outcome}`
  }
}

/** The messages of a person, a campaign or all, of the period behind the place, newest first. */
const lookedAt = (own: WorkspaceQueries, { contactId, campaignId, from, to, after }: SearchedMessages['of']) => {
  let all = own.messages().select(['messages.id', 'messages.queued_at'])
  if (contactId !== undefined) all = all.where('messages.contact_id', '=', contactId)
  if (campaignId !== undefined) all = all.where('messages.campaign_id', '=', asCampaignId(campaignId))
  if (from !== undefined) all = all.where('messages.queued_at', '>=', new Date(from))
  if (to !== undefined) all = all.where('messages.queued_at', '<', new Date(to))
  if (after !== undefined) all = all.where(sql<boolean>`(messages.queued_at, messages.id) < (${after.queued_at}, ${after.id})`)
  return all.orderBy('messages.queued_at', 'desc').orderBy('messages.id', 'desc')
}

const moment = (name: string, text: string): string => {
  const at = parseMoment(text)
  if (at === null) throw invalidRequest(`${name} must be a valid ISO 8601 date string`)
  return at
}

const cursorOf = ({ queued_at: at, id }: MessagePlace): string => Buffer.from(`${at.getTime()} ${id}`).toString('base64url')

const PLACE = /^(\d{1,14}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

const placeOf = (cursor: string): MessagePlace => {
  const [, at, id] = PLACE.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (at === undefined || id === undefined) throw invalidRequest('after must be the next_cursor of a page')
  return { queued_at: new Date(Number(at)), id: asMessageId(id) }
}
