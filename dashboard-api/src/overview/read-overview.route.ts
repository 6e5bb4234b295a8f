import { Overview } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { creditsOf, deadLetters, lowCredits, providerOutages, unverifiedSenders, webhookHealth, webhooksInNeed } from './attention.ts'
import { flowsWithContacts, runningCampaigns } from './running.ts'

const schema = {
  operationId: 'overview.read',
  summary: 'What needs somebody, and what runs now',
  tags: ['overview'],
  response: { 200: Overview },
}

// It looks at jobs, tries and dead letters, which are no projection's: it is always answered.
const config = { access: 'session', dashboard: { role: 'member' } } as const

export function readOverview(app: App, { db, pool, lowCredits: low }: Pick<DashboardDependencies, 'db' | 'pool' | 'lowCredits'>): void {
  app.get('/overview', { schema, config }, async ({ tenant: { workspaceId }, user }) => {
    const sources = { db, pool }
    const isAdmin = user !== null && (user.actsAsOperator || user.role !== 'member')
    const [letters, endpoints, senders, outages, credits, campaigns, flows] = await Promise.all([
      isAdmin ? deadLetters(sources, workspaceId) : [],
      isAdmin ? webhookHealth(pool, workspaceId) : null,
      unverifiedSenders(sources, workspaceId),
      providerOutages(sources, workspaceId),
      creditsOf(sources, workspaceId),
      runningCampaigns(db, pool, workspaceId),
      flowsWithContacts(db, workspaceId),
    ])
    const attention = [...outages, ...letters, ...webhooksInNeed(endpoints ?? []), ...lowCredits(credits, low), ...senders]
    return { attention, credits, campaigns, flows, webhooks: endpoints?.map(({ isFailing: _, ...shown }) => shown) ?? null }
  })
}
