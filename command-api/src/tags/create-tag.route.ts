import { appendContext, waitUntilVisible } from '@tidings/administration'
import { CreateTagBody, Tag } from '@tidings/contracts'
import { tags, tagsStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'

const schema = {
  operationId: 'tags.create',
  summary: 'Create a tag',
  tags: ['tags'],
  body: CreateTagBody,
  response: { 201: Tag },
}

const config = { dashboard: { role: 'member' }, refusals: ['tag_limit_reached', 'tag_name_taken'] } as const

export function createTag(app: App, deps: Dependencies): void {
  app.post('/public/tags', { schema, config }, async (request, reply) => {
    const { name, color = null } = request.body
    const at = deps.now()
    const context = appendContext(request, at)
    const { position } = await deps.commands.execute({
      decider: tags,
      stream: tagsStream(request.tenant.workspaceId),
      command: { type: 'CreateTag', data: { tagId: context.commandId, name, color } },
      context,
    })
    await waitUntilVisible(deps, reply, { position, projections: ['tags'] })
    reply.code(201)
    return { id: context.commandId, name, color, createdAt: at, updatedAt: at }
  })
}
