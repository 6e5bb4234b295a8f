import { StandardQuery, TagPage } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { forWorkspace, toTagOption } from '@tidings/read-models'
import { byLabel, sliced } from '../alphabetical.ts'
import type { Dependencies } from '../dependencies.ts'
import { standardWindow } from '../window.ts'

const schema = {
  operationId: 'tags.list',
  summary: 'List the tags',
  tags: ['tags'],
  querystring: StandardQuery,
  response: { 200: TagPage },
}

const config = { dashboard: { role: 'member' } } as const

/** Answers at most 200 tags, each labelled with its name (contract: Tags). */
export function listTags(app: App, { db }: Dependencies): void {
  app.get('/public/tags', { schema, config }, async ({ tenant, query }) => {
    const rows = await forWorkspace(db, tenant.workspaceId).tags().select(['id', 'name', 'color']).orderBy('id').execute()
    return sliced(rows.map(toTagOption).sort(byLabel), standardWindow(query))
  })
}
