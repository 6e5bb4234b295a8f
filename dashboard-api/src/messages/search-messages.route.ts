import { MessageSearchPage, MessageSearchQuery } from '@tidings/contracts'
import { parseMoment } from '@tidings/evidence'
import { type App, invalidRequest } from '@tidings/http'
import { asMessageId, forWorkspace, type MessageRow, toMessageStatus, type WorkspaceQueries } from '@tidings/read-models'
import { sql } from 'kysely'
import type { DashboardDependencies } from '../dependencies.ts'

const schema = {
  operationId: 'messages.search',
  summary: 'Messages of a status, a channel or a period, newest first',
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
type SearchedMessages = Readonly<{
  status?: MessageRow['status']
  channel?: MessageRow['channel']
  from?: string
  to?: string
  after?: MessagePlace
  limit: number
}>

export function searchMessages(app: App, { db }: Pick<DashboardDependencies, 'db'>): void {
  app.get('/messages', { schema, config }, async ({ tenant, query: { status, channel, from, to, after, limit = 50 } }) => {
    const wanted = {
      ...(status && { status }),
      ...(channel && { channel }),
      ...(from !== undefined && { from: moment('from', from) }),
      ...(to !== undefined && { to: moment('to', to) }),
      ...(after !== undefined && { after: placeOf(after) }),
      limit,
    }
    const { rows, next } = await found(forWorkspace(db, tenant.workspaceId), wanted)
    const items = rows.map((row) => ({ ...toMessageStatus(row), contactId: row.contact_id }))
    return { items, limit, total: null, has_more: next !== null, next_cursor: next === null ? null : cursorOf(next) }
  })
}

/** A page at most, and where the next one begins; null where nothing follows. */
const found = async (
  own: WorkspaceQueries,
  wanted: SearchedMessages,
): Promise<Readonly<{ rows: readonly MessageRow[]; next: MessagePlace | null }>> => {
  const { status, channel, limit } = wanted
  const looked = lookedAt(own, wanted).limit(LOOKED_AT).as('looked')
  let matching = own.messages().innerJoin(looked, 'looked.id', 'messages.id').selectAll('messages')
  if (status !== undefined) matching = matching.where('messages.status', '=', status)
  if (channel !== undefined) matching = matching.where('messages.channel', '=', channel)
  const rows = await matching
    .orderBy('messages.queued_at', 'desc')
    .orderBy('messages.id', 'desc')
    .limit(limit + 1)
    .execute()
  const last = rows[limit - 1]
  if (rows.length > limit && last !== undefined) return { rows: rows.slice(0, limit), next: last }
  const stopped = await lookedAt(own, wanted)
    .offset(LOOKED_AT - 1)
    .limit(1)
    .executeTakeFirst()
  return { rows, next: stopped ?? null }
}

/** The messages of the period behind the place, newest first. */
const lookedAt = (own: WorkspaceQueries, { from, to, after }: SearchedMessages) => {
  let all = own.messages().select(['messages.id', 'messages.queued_at'])
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
