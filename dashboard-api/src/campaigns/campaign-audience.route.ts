import { Audience, AudienceQuery } from '@tidings/contracts'
import type { CampaignChannel, ListId } from '@tidings/domain'
import { type App, fairShare, hasLeft } from '@tidings/http'
import { forWorkspace, type WorkspaceQueries } from '@tidings/read-models'
import { sql } from 'kysely'
import type { DashboardDependencies } from '../dependencies.ts'

const schema = {
  operationId: 'campaigns.audience',
  summary: 'How many members of a list may get a campaign now',
  tags: ['campaigns'],
  querystring: AudienceQuery,
  response: { 200: Audience },
}

const config = { access: 'session', dashboard: { role: 'member' } } as const

/** A list of at most twice as many is counted exactly; of a longer one as many are looked at from each end. */
const LOOKED_AT = 5_000

/** It is asked while somebody types: a quarter of the connections, and one at a time for a workspace. */
export function campaignAudience(app: App, { db, poolSize }: Pick<DashboardDependencies, 'db' | 'poolSize'>): void {
  const share = fairShare({ each: 1, all: Math.max(1, Math.floor(poolSize / 4)) })
  app.get('/campaigns/audience', { schema, config }, async (request) => {
    const { workspaceId } = request.tenant
    const { listId, channel } = request.query
    return share({ workspaceId, isGone: () => hasLeft(request) }, async () => {
      const own = forWorkspace(db, workspaceId)
      const members = await own.listTotal(listId)
      if (members <= 2 * LOOKED_AT) {
        const { mayGet } = await countOf(own, { listId, channel, from: 'asc', limit: 2 * LOOKED_AT })
        return { members, mayGet, isEstimate: false }
      }
      const ends = [await countOf(own, { listId, channel, from: 'asc', limit: LOOKED_AT })]
      ends.push(await countOf(own, { listId, channel, from: 'desc', limit: LOOKED_AT }))
      const [looked, found] = [ends.reduce((sum, end) => sum + end.looked, 0), ends.reduce((sum, end) => sum + end.mayGet, 0)]
      return { members, mayGet: looked === 0 ? 0 : Math.round((members * found) / looked), isEstimate: true }
    })
  })
}

type Counting = Readonly<{ listId: ListId; channel: CampaignChannel; from: 'asc' | 'desc'; limit: number }>

const may = {
  email: sql<boolean>`profiles.email_consent = 'subscribed' and profiles.email is not null and not profiles.email_suppressed`,
  sms: sql<boolean>`profiles.sms_consent = 'subscribed' and profiles.phone is not null and not profiles.sms_suppressed`,
} as const

/** Members from one end of a list, by the conditions that `take-audience.ts` and the hand-over have. */
const countOf = async (
  own: WorkspaceQueries,
  { listId, channel, from, limit }: Counting,
): Promise<Readonly<{ looked: number; mayGet: number }>> => {
  const some = own.listMembers().select('contact_id').where('list_id', '=', listId).orderBy('contact_id', from).limit(limit).as('some')
  const row = await own
    .profiles()
    .innerJoin(some, 'some.contact_id', 'profiles.id')
    .select([sql<number>`count(*)::int`.as('looked'), sql<number>`(count(*) filter (where ${may[channel]}))::int`.as('may_get')])
    .executeTakeFirstOrThrow()
  return { looked: row.looked, mayGet: row.may_get }
}
