import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EventLog, uuidv7 } from '@tidings/codec'
import { asWorkspaceId } from '@tidings/domain'
import { EventStoreError } from '@tidings/event-store'

const WORKSPACE = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const CONTACTS = Array.from({ length: 40 }, () => uuidv7())

export type Writing = Readonly<{
  /** Ends the writers; answers what was acknowledged: the subject of each position. */
  stop: () => Promise<ReadonlyMap<bigint, string>>
}>

/** Writers that accept emails to contacts they share. What has no answer is asked again under the same command until it has. */
export function startWriting(
  log: EventLog,
  { writers, pauseMs = 2 }: Readonly<{ writers: number; pauseMs?: number | undefined }>,
): Writing {
  const acked = new Map<bigint, string>()
  let going = true
  const write = async (): Promise<void> => {
    while (going) {
      const subject = randomUUID()
      acked.set(await accept(log, subject), subject)
      await sleep(pauseMs)
    }
  }
  const written = Promise.all(Array.from({ length: writers }, write))
  return {
    stop: async () => {
      going = false
      await written
      return acked
    },
  }
}

async function accept(log: EventLog, subject: string): Promise<bigint> {
  const messageId = uuidv7()
  const contactId = CONTACTS[Math.floor(Math.random() * CONTACTS.length)] ?? ''
  const content = { subject, html: `<p>${'x'.repeat(400)}</p>`, text: null }
  const data = { messageId, contactId, channel: 'email', to: 'ada@example.com', fromEmail: 'a@b.example', fromName: null, replyTo: null }
  const event = { type: 'EmailAccepted', data: { ...data, content, contentId: null, templateId: null, kind: 'transactional' } }
  const context = { commandId: randomUUID(), workspaceId: WORKSPACE, actor: 'test', requestId: subject, at: new Date().toISOString() }
  for (;;) {
    try {
      return (await log.append(`message-${WORKSPACE}-${messageId}`, 'any', [event], context)).position.commit
    } catch (error) {
      if (!(error instanceof EventStoreError) || !error.retryable) throw error
    }
  }
}
