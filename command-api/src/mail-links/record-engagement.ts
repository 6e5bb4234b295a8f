import { entriesUpTo } from '@tidings/async'
import { SubjectErased, uuidv7 } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { type EngagementCommand, engagement, isSpent, type MessageId, messageStream, Refused, type WorkspaceId } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import pTimeout from 'p-timeout'

type OfMessage = Readonly<{ workspaceId: WorkspaceId; messageId: MessageId }>
type LinkUse =
  | Readonly<{ type: 'RecordOpen'; machine: boolean }>
  | Readonly<{ type: 'RecordClick'; machine: boolean; link: number; url: string }>

/** Records an open or a click. Never throws, and takes a second at most: the caller waits for a page or an image. */
export type RecordEngagement = (request: Pick<FastifyRequest, 'id' | 'log'>, of: OfMessage, what: LinkUse) => Promise<void>

const TIMEOUT_MS = 1_000
/** A hundred bytes each. */
const MAX_SPENT = 20_000

/** The person was erased, or the log was restored to a point before the mail. */
const isGone = (error: unknown): boolean => error instanceof SubjectErased || error instanceof Refused

/** Remembers which mails can add nothing new, so that a pixel that is loaded again and again costs no command. */
export function createEngagementRecorder({ commands, now }: Readonly<{ commands: CommandRunner; now: () => string }>): RecordEngagement {
  const spent = new LRUCache<string, true>(entriesUpTo(MAX_SPENT))

  const record = async (requestId: string, { workspaceId, messageId }: OfMessage, { type, ...data }: LinkUse): Promise<void> => {
    const name = `${messageId} ${type} ${data.machine}`
    if (spent.has(name)) return
    const at = now()
    const command = { type, data: { at, ...data } } as EngagementCommand
    try {
      const { state } = await commands.execute({
        decider: engagement,
        stream: messageStream(workspaceId, messageId),
        command,
        context: { commandId: uuidv7(), workspaceId, actor: 'recipient', requestId, at },
      })
      if (isSpent(command, state)) spent.set(name, true)
    } catch (error) {
      if (!isGone(error)) throw error
      spent.set(name, true)
    }
  }

  return async (request, of, what) => {
    const recorded = record(request.id, of, what).catch((error: unknown) => {
      request.log.warn({ err: error, messageId: of.messageId }, 'an open or a click was not recorded')
    })
    await pTimeout(recorded, { milliseconds: TIMEOUT_MS, message: false })
  }
}
