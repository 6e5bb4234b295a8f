import { waitUntilVisible } from '@tidings/administration'
import { EditTagBody, ShownTag, TagParams } from '@tidings/contracts'
import type { ConfigureTag } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { saveRecord } from '../editing/save-record.ts'
import { editableTag, shownTag } from './editable-tag.ts'

const schema = {
  operationId: 'tags.edit',
  summary: 'Give a tag another colour',
  tags: ['tags'],
  params: TagParams,
  body: EditTagBody,
  response: { 200: ShownTag },
}

const config = { access: 'session', dashboard: { role: 'admin' }, edits: true, refusals: ['tag_not_found'] } as const

/** The name stays: campaigns and callers of the API know the tag by it. */
export function editTag(app: App, deps: DashboardDependencies): void {
  app.put('/tags/:id', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const editable = editableTag({ workspaceId, tagId: request.params.id })
    const { position } = await saveRecord(deps, request, {
      editable,
      commandFor: (tag): ConfigureTag => ({ type: 'ConfigureTag', data: { ...tag, color: request.body.color } }),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['tags'] })
    return shownTag((await readRecord(deps, workspaceId, editable)).record)
  })
}
