import { Checklist } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { type FigureOutcome, forWorkspace, type ReadModels, type WorkspaceQueries } from '@tidings/read-models'
import type { SelectQueryBuilder } from 'kysely'
import type { DashboardDependencies } from '../dependencies.ts'

const schema = {
  operationId: 'overview.checklist',
  summary: 'The first steps of a workspace, each done as soon as the log says so',
  tags: ['overview'],
  response: { 200: Checklist },
}

const READS = ['figures', 'webhooks', 'campaigns', 'users', 'workspaces'] as const
const config = { access: 'session', dashboard: { role: 'member', reads: READS } } as const

const has = async <Table extends keyof ReadModels>(rows: SelectQueryBuilder<ReadModels, Table, object>, more = 0): Promise<boolean> =>
  (
    await rows
      .select(({ lit }) => lit(1).as('one'))
      .offset(more)
      .limit(1)
      .execute()
  ).length > 0

const hasOutcome = (own: WorkspaceQueries, ...outcomes: readonly FigureOutcome[]) =>
  has(own.messageHours().where('outcome', 'in', outcomes))

const deferred = async (own: WorkspaceQueries): Promise<boolean> =>
  (await hasOutcome(own, 'bounced')) && (await hasOutcome(own, 'suppressed', 'skipped'))

export function readChecklist(app: App, { db, sendsForReal }: Pick<DashboardDependencies, 'db' | 'sendsForReal'>): void {
  app.get('/checklist', { schema, config }, async ({ tenant: { workspaceId, slug } }) => {
    const own = forWorkspace(db, workspaceId)
    const [send, see, defer, webhook, campaign, invite, key] = await Promise.all([
      hasOutcome(own, 'accepted'),
      hasOutcome(own, 'sent'),
      deferred(own),
      has(own.webhooks()),
      has(own.campaigns().where('status', 'in', ['sending', 'paused', 'sent', 'cancelled', 'failed'])),
      has(own.users(), 1),
      // The first start makes one of the workspace's own name, before anybody asks for one.
      has(own.apiKeys().where('name', '!=', slug)),
    ])
    const done = { send, see, defer, webhook, campaign, invite, key, send_for_real: sendsForReal && see }
    const steps = ['send', 'see', 'defer', 'webhook', 'campaign', 'invite', 'key', 'send_for_real'] as const
    return { items: steps.map((step) => ({ step, done: done[step] })) }
  })
}
