import { DeadLetterGroups, SystemDeadLetterPage, SystemDeadLettersQuery } from '@tidings/contracts'
import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import type { App } from '@tidings/http'
import { deadLetterGroups } from '@tidings/jobs'
import { slugsOfWorkspaces } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { pageOfLetters } from './page-of-letters.ts'
import { shownLetter } from './shown-letter.ts'

const listSchema = {
  operationId: 'system.deadLetters',
  summary: 'What failed too often in the installation, newest first',
  tags: ['system'],
  querystring: SystemDeadLettersQuery,
  response: { 200: SystemDeadLetterPage },
}

const groupsSchema = {
  operationId: 'system.deadLetterGroups',
  summary: 'How many dead letters each consumer has of each workspace, and of none',
  tags: ['system'],
  response: { 200: DeadLetterGroups },
}

const config = { access: 'session', dashboard: { role: 'operator' } } as const

const SHOWN_GROUPS = 100

export function systemDeadLetters(app: App, { pool, db }: Pick<DashboardDependencies, 'pool' | 'db'>): void {
  const named = async <LetterRow extends Readonly<{ workspaceId: WorkspaceId | null }>>(of: readonly LetterRow[]) => {
    const slugs = await slugsOfWorkspaces(db, [...new Set(of.flatMap(({ workspaceId }) => workspaceId ?? []))])
    return of.map((one) => ({ ...one, workspace: one.workspaceId === null ? null : (slugs.get(one.workspaceId) ?? null) }))
  }

  app.get('/system/dead-letters', { schema: listSchema, config }, async ({ query }) => {
    const { workspaceId, ...asked } = query
    const of = workspaceId === undefined ? null : asWorkspaceId(workspaceId.toLowerCase())
    const { letters, ...page } = await pageOfLetters(pool, of, asked)
    const items = (await named(letters)).map((letter) => ({
      ...shownLetter(letter),
      ...{ workspaceId: letter.workspaceId, workspace: letter.workspace },
    }))
    return { items, ...page }
  })

  app.get('/system/dead-letters/groups', { schema: groupsSchema, config }, async () => {
    const groups = await named(await deadLetterGroups(pool, SHOWN_GROUPS + 1))
    const items = groups.slice(0, SHOWN_GROUPS).map(({ oldest, ...group }) => ({ ...group, oldest: oldest.toISOString() }))
    return { items, has_more: groups.length > SHOWN_GROUPS }
  })
}
