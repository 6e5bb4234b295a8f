import { Credits } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { balanceOf } from '@tidings/wallet'
import type { DashboardDependencies } from '../dependencies.ts'

const schema = { operationId: 'credits.read', summary: 'The SMS credits of the workspace', tags: ['credits'], response: { 200: Credits } }

const config = { access: 'session', dashboard: { role: 'member' } } as const

export function readCredits(app: App, { commands }: Pick<DashboardDependencies, 'commands'>): void {
  app.get('/credits', { schema, config }, ({ tenant: { workspaceId } }) => balanceOf(commands, workspaceId))
}
