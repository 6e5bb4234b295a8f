import { ConsumersOfDeadLetters, DeadLetterPage, DeadLettersQuery } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { deadLettersByConsumer, pageOfDeadLetters } from '@tidings/jobs'
import type { DashboardDependencies } from '../dependencies.ts'
import { cursorOf, placeOf } from '../place-cursor.ts'
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
    const { consumer = null, after, limit = 50 } = query
    const wanted = { workspaceId, consumer, after: after === undefined ? null : placeOf(after), limit: limit + 1 }
    const found = await pageOfDeadLetters(pool, wanted)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    return {
      ...{ items: shown.map(shownLetter), limit, total: null, has_more: last !== undefined },
      next_cursor: last === undefined ? null : cursorOf(last.place),
    }
  })

  app.get('/dead-letters/consumers', { schema: consumersSchema, config }, async ({ tenant: { workspaceId } }) => ({
    items: [...(await deadLettersByConsumer(pool, workspaceId))],
  }))
}
