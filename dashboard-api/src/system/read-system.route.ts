import { SystemState } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { systemState } from './system-state.ts'

const schema = {
  operationId: 'system.read',
  summary: 'What runs, what is behind, and what waits in the whole installation',
  tags: ['system'],
  response: { 200: SystemState },
}

const config = { access: 'session', dashboard: { role: 'operator' } } as const

export function readSystem(app: App, deps: DashboardDependencies): void {
  app.get('/system', { schema, config }, () => systemState(deps))
}
