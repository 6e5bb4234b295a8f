import { StandardQuery, TagPage } from '@tidings/contracts'
import { type App, page } from '@tidings/http'
import { forWorkspace, toTagOption } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'
import { standardWindow } from '../window.ts'

const schema = {
  operationId: 'tags.list',
  summary: 'List the tags',
  tags: ['tags'],
  querystring: StandardQuery,
  response: { 200: TagPage },
}

/** Alphabetical whatever the case, and the id breaks ties (decisions.md G9). At most 200: read in full, then sliced, as the contract says. */
const byName = new Intl.Collator('en', { sensitivity: 'accent' })

export const listTags = (app: App, { db }: Dependencies): void => {
  app.get('/public/tags', { schema }, async ({ tenant, query }) => {
    const window = standardWindow(query)
    const rows = await forWorkspace(db, tenant.workspaceId).tags().select(['id', 'name', 'color']).orderBy('id').execute()
    const options = rows.map(toTagOption).sort((a, b) => byName.compare(a.value, b.value))
    return page(options.slice(window.offset, window.offset + window.limit), options.length, window)
  })
}
