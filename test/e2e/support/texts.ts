import { createCommandRunner } from '@tidings/commands'
import {
  asContactId,
  asMessageId,
  type ContactId,
  type MessageCommand,
  type MessageEvent,
  type MessageId,
  message,
  messageStream,
} from '@tidings/domain'
import { PATIENT_MS } from '@tidings/testing'
import { dataOf } from './answers.ts'
import type { Client } from './client.ts'
import type { World } from './world.ts'

/** What the sections of a workspace need to send text messages from ACME. */
export const SENDER = 'ACME'
export const texting = `credits: 1000\nsmsSenderIds: [{ id: ${SENDER}, status: approved }]`

let numbers = 0

/** A number that no other contact has. */
export function newNumber(): string {
  return `+97250${String(process.pid % 1_000).padStart(3, '0')}${String(++numbers).padStart(4, '0')}`
}

/** Messages as their deciders accept them, whatever sends them. */
export function textsOf({ stores: { log } }: World, client: Client) {
  const workspaceId = client.applied.workspace.id
  const runner = createCommandRunner({ log, deadlineMs: PATIENT_MS })
  const decide = (messageId: MessageId, command: MessageCommand) =>
    runner.execute({
      decider: message,
      stream: messageStream(workspaceId, messageId),
      command,
      context: { commandId: crypto.randomUUID(), workspaceId, actor: 'test', requestId: 'r', at: new Date().toISOString() },
    })
  const person = async (phone: string): Promise<string> =>
    dataOf<{ id: string }>(await client.request('POST', '/public/profiles', { phone }), 201).id
  const content = { from: SENDER, credits: 1, segments: 1, templateId: null, kind: 'transactional' as const }
  return {
    workspaceId,
    person,
    decide,
    /** A text message to a new contact with that number, or to a known one. */
    accept: async (phone: string, known?: ContactId, body = 'Hi') => {
      const contactId = known ?? asContactId(await person(phone))
      const messageId = asMessageId(crypto.randomUUID())
      await decide(messageId, { type: 'AcceptSms', data: { messageId, contactId, to: phone, ...content, body } })
      return { workspaceId, messageId, contactId }
    },
    typesOf: async (messageId: MessageId): Promise<readonly string[]> =>
      (await log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, messageId))).map(({ type }) => type),
  }
}
