import { ShownTags } from '@tidings/contracts'
import { tags, tagsStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { shownTag } from './editable-tag.ts'

const schema = {
  operationId: 'tags.all',
  summary: 'The tags of the workspace with what a change needs, oldest first',
  tags: ['tags'],
  response: { 200: ShownTags },
}

const config = { access: 'session', dashboard: { role: 'admin' } } as const

/** As of the log: at most 200 (G17), in one stream. */
export function allTags(app: App, { commands }: DashboardDependencies): void {
  app.get('/tags/all', { schema, config }, async ({ tenant: { workspaceId } }) => {
    const { state } = await commands.load({ decider: tags, stream: tagsStream(workspaceId), workspaceId })
    return { items: state.map(shownTag) }
  })
}
