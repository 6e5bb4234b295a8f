import { appendContext, waitUntilVisible } from '@tidings/administration'
import { ExampleData } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { makeExampleData } from './example-data.ts'

const schema = {
  operationId: 'overview.makeExamples',
  summary: 'Put example data in, none of which sends anything by itself',
  tags: ['overview'],
  response: { 200: ExampleData },
}

const config = { access: 'session', dashboard: { role: 'admin' }, refusals: ['flow_takes_new_contacts'] } as const

export function makeExamples(app: App, deps: DashboardDependencies): void {
  app.post('/examples', { schema, config }, async (request, reply) => {
    const { position, contacts, ...made } = await makeExampleData(deps, appendContext(request, deps.now()))
    await waitUntilVisible(deps, reply, { position, projections: ['campaigns', 'flows', 'forms', 'lists', 'profiles', 'templates'] })
    return { ...made, contacts: [...contacts] }
  })
}
