import { appendContext, waitUntilVisible } from '@tidings/administration'
import { uuidv7 } from '@tidings/codec'
import { AppliedFile, FileDifference, GivenFileBody } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { type App, expectedEtag, fairShare, hasLeft } from '@tidings/http'
import type { FastifyRequest } from 'fastify'
import type { DashboardDependencies } from '../dependencies.ts'
import { planFile } from './plan-file.ts'

const differenceSchema = {
  operationId: 'workspaceFile.difference',
  summary: 'What applying a file would change; writes nothing',
  description: 'A file that cannot be applied is 400 with a sentence that names the line.',
  tags: ['workspace'],
  body: GivenFileBody,
  response: { 200: FileDifference },
}

const applySchema = {
  operationId: 'workspaceFile.apply',
  summary: 'Apply a file, a hundred commands at a time',
  description: 'Send it again with the `etag` of the answer until nothing is left.',
  tags: ['workspace'],
  body: GivenFileBody,
  response: { 200: AppliedFile },
}

const config = { access: 'session', dashboard: { role: 'owner' } } as const

/** A request is answered within some seconds, and a page says how far it is. */
const AT_ONCE = 100
const PROJECTIONS = [
  ...['campaigns', 'custom_events', 'custom_fields', 'flows', 'forms', 'lists', 'sender_addresses'],
  ...['sender_domains', 'sms_senders', 'tags', 'templates', 'workspaces'],
] as const

/** One at a time of a workspace: a file of two thousand records reads as many streams. */
export function applyFile(app: App, deps: DashboardDependencies): void {
  const share = fairShare({ each: 1, all: Math.max(1, Math.floor(deps.poolSize / 4)) })
  const alone = <T>({ tenant: { workspaceId }, raw }: Pick<FastifyRequest, 'tenant' | 'raw'>, work: () => Promise<T>): Promise<T> =>
    share({ workspaceId, isGone: () => hasLeft({ raw }) }, work)

  app.post('/workspace-file/difference', { schema: differenceSchema, config }, (request) =>
    alone(request, async () => {
      const { changes, planned, etagBehind } = await planFile(deps, { text: request.body.text, slug: request.tenant.slug })
      return { changes: [...changes], commands: planned.length, etag: etagBehind(0) }
    }),
  )

  app.post('/workspace-file/apply', { schema: applySchema, config: { ...config, edits: true } }, async (request, reply) => {
    const file = { text: request.body.text, slug: request.tenant.slug }
    const { position, ...applied } = await alone(request, async () => {
      const { planned, etagBehind } = await planFile(deps, file)
      if (etagBehind(0) !== expectedEtag(request)) throw new Refused('changed_meanwhile')
      let reached: Position | null = null
      for (const command of planned.slice(0, AT_ONCE)) {
        const context = { ...appendContext(request, deps.now()), commandId: uuidv7() }
        reached = (await command.run(deps.commands, context)) ?? reached
      }
      const done = Math.min(planned.length, AT_ONCE)
      const left = planned.length - done
      return { done, left, etag: left === 0 ? null : etagBehind(done), position: reached }
    })
    await waitUntilVisible(deps, reply, { position, projections: PROJECTIONS })
    return applied
  })
}
