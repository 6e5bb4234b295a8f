import { CheckedCredits } from '@tidings/contracts'
import { type App, fairShare, hasLeft } from '@tidings/http'
import { verifyWallet } from '@tidings/wallet'
import type { DashboardDependencies } from '../dependencies.ts'

const schema = {
  operationId: 'credits.check',
  summary: 'Check the wallet from its first event',
  description: 'What `tidings credits verify` says of one workspace. Writes nothing.',
  tags: ['credits'],
  response: { 200: CheckedCredits },
}

const config = { access: 'session', dashboard: { role: 'operator' }, withoutWorkspace: false } as const

/** One at a time: it keeps the ids of all messages that were paid. */
export function checkCredits(app: App, { log }: Pick<DashboardDependencies, 'log'>): void {
  const share = fairShare({ each: 1, all: 1 })
  app.get('/credits/check', { schema, config }, ({ tenant: { workspaceId }, raw }) =>
    share({ workspaceId, isGone: () => hasLeft({ raw }) }, async () => {
      const checked = await verifyWallet(log, workspaceId)
      return { ...checked, problems: [...checked.problems] }
    }),
  )
}
