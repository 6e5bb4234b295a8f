import { messageContentReader } from '@tidings/administration'
import { MessageContentQuery, MessageParams } from '@tidings/contracts'
import { type MessageEvent, messageStream, Refused, type WorkspaceId, withoutLinkTokens } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { framePolicy } from '../frame-policy.ts'

const schema = {
  operationId: 'messages.readContent',
  summary: 'What the recipient of a message got, for a frame without script',
  description: '`text/html` or `text/plain`, without the envelope, under a policy that runs nothing and asks no server for anything.',
  tags: ['messages'],
  params: MessageParams,
  querystring: MessageContentQuery,
}

const config = {
  access: 'session',
  dashboard: { role: 'member', notes: 'content' },
  raw: true,
  refusals: ['message_not_found', 'message_content_gone'],
} as const

type WantedPart = Readonly<{ workspaceId: WorkspaceId; part: 'html' | 'text' }>
type ShownContent = Readonly<{ type: 'text/html' | 'text/plain'; text: string }>

/** From the event that accepted the message, and the store of large contents. A passcode has no text anywhere (M7); tokens of our links are hidden (M61). */
export function readContent(app: App, { log, contents }: Pick<DashboardDependencies, 'log' | 'contents'>): void {
  const readMail = messageContentReader({ log, contents })
  const shownOf = async (data: MessageEvent['data'], { workspaceId, part }: WantedPart): Promise<ShownContent | null> => {
    if ('body' in data && typeof data.body === 'string') return { type: 'text/plain', text: data.body }
    const mail = await readMail(workspaceId, data)
    if (mail.state !== 'kept') return null
    const { html, text } = mail.content
    return part === 'html' ? { type: 'text/html', text: html } : text === null ? null : { type: 'text/plain', text }
  }
  app.get('/messages/:id/content', { schema, config }, async ({ tenant, params, query: { part = 'html', images } }, reply) => {
    const { workspaceId } = tenant
    const [accepted] = await log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, params.id), {
      limit: 1,
      pastLimits: true,
    })
    if (accepted === undefined) throw new Refused('message_not_found')
    const shown = accepted.erased ? null : await shownOf(accepted.data, { workspaceId, part })
    if (shown === null) throw new Refused('message_content_gone')
    reply.header('Content-Security-Policy', framePolicy(images))
    return reply.type(`${shown.type}; charset=utf-8`).send(withoutLinkTokens(shown.text))
  })
}
