import { ConsumersOfDeadLetters, DeadLetterPage, DeadLettersQuery } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { deadLettersByConsumer } from '@tidings/jobs'
import type { DashboardDependencies } from '../dependencies.ts'
import { pageOfLetters } from './page-of-letters.ts'
import { shownLetter } from './shown-letter.ts'

const listSchema = {
  operationId: 'deadLetters.list',
  summary: 'What failed too often in this workspace, newest first',
  tags: ['dead letters'],
  querystring: DeadLettersQuery,
  response: { 200: DeadLetterPage },
}

const consumersSchema = {
  operationId: 'deadLetters.consumers',
  summary: 'How many dead letters each consumer has',
  tags: ['dead letters'],
  response: { 200: ConsumersOfDeadLetters },
}

const config = { access: 'session', dashboard: { role: 'admin' } } as const

export function listLetters(app: App, { pool }: Pick<DashboardDependencies, 'pool'>): void {
  app.get('/dead-letters', { schema: listSchema, config }, async ({ tenant: { workspaceId }, query }) => {
    const { letters, ...page } = await pageOfLetters(pool, workspaceId, query)
    return { items: letters.map(shownLetter), ...page }
  })

  app.get('/dead-letters/consumers', { schema: consumersSchema, config }, async ({ tenant: { workspaceId } }) => ({
    items: [...(await deadLettersByConsumer(pool, workspaceId))],
  }))
}
