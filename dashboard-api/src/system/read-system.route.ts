import { SystemFindings, SystemState } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { systemState } from './system-state.ts'

const schema = {
  operationId: 'system.read',
  summary: 'What runs, what is behind, and what waits in the whole installation',
  tags: ['system'],
  response: { 200: SystemState },
}

const findingsSchema = {
  operationId: 'system.findings',
  summary: 'Checks the stores, the providers and DNS now, and says what to do about what is wrong',
  description: 'It asks all of them, which may take a minute.',
  tags: ['system'],
  response: { 200: SystemFindings },
}

// It says how the primary is, and asks the world: neither may begin again elsewhere.
const config = { access: 'session', dashboard: { role: 'operator' }, onReplicas: false } as const

export function readSystem(app: App, deps: DashboardDependencies): void {
  app.get('/system', { schema, config }, () => systemState(deps))

  app.get('/system/findings', { schema: findingsSchema, config }, async () => ({
    items: (await deps.findings()).map(({ mend = null, ...finding }) => ({ ...finding, mend })),
  }))
}
