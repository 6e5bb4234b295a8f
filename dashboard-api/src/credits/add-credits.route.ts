import { appendContext, waitUntilVisible } from '@tidings/administration'
import { AddCreditsBody, Credits } from '@tidings/contracts'
import { wallet, walletStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import { balanceOf } from '@tidings/wallet'
import { toWorkspace } from '../audit/operator-acts.ts'
import type { DashboardDependencies } from '../dependencies.ts'

const schema = {
  operationId: 'credits.add',
  summary: 'Add SMS credits',
  tags: ['credits'],
  body: AddCreditsBody,
  response: { 200: Credits },
}

const config = {
  access: 'session',
  dashboard: { role: 'operator', operates: toWorkspace('credits') },
  withoutWorkspace: false,
  refusals: ['wallet_full'],
} as const

/** Each request adds; one that is repeated under its `Idempotency-Key` adds once. */
export function addCredits(app: App, deps: DashboardDependencies): void {
  app.post('/credits', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { amount, note = null } = request.body
    const { position } = await deps.commands.execute({
      decider: wallet,
      stream: walletStream(workspaceId),
      command: { type: 'AddCredits', data: { commandId: request.commandId, amount, note } },
      context: appendContext(request, deps.now()),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['wallets'] })
    return await balanceOf(deps.commands, workspaceId)
  })
}
