import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import {
  asContactId,
  asMessageId,
  asWorkspaceId,
  contact,
  contactStream,
  type Decider,
  type DomainEvent,
  eventDeclarations,
  INSTALLATION,
  senderNumbers,
  senderNumbersStream,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { PATIENT_MS } from '@tidings/testing'
import type { TakenSms } from '../../src/sms/inbound.ts'
import { type TakingInbound, takeInbound } from '../../src/sms/take-inbound.ts'

export const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
export const phone = '+972501234567'
const at = '2026-01-01T00:09:59.000Z'

let ids = 0
const contextOf = (of: WorkspaceId) => ({ commandId: crypto.randomUUID(), workspaceId: of, actor: 'test', requestId: 'r', at })

/** A workspace, over a log of its own, that last wrote to a person as `Acme`. `taking` may be changed by a test. */
export async function openInbound() {
  const store = memoryEventStore()
  const keyRing = memoryKeyRing()
  const runner = createCommandRunner({
    log: createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing }),
    deadlineMs: PATIENT_MS,
  })
  const contactId = asContactId(crypto.randomUUID())
  const written = { workspaceId, contactId, messageId: asMessageId('message-1'), phone, sender: 'Acme' }
  /** Numbers that were said to be reached. */
  const lifted: string[] = []
  const taking: TakingInbound = {
    runner,
    lastSmsTo: async (of) => (of.phone === phone && of.senderKey === 'ACME' ? written : null),
    writtenAmong: async ({ phones, senderKey }) => phones.filter((one) => one === phone && senderKey === 'ACME'),
    contactWith: async () => null,
    liftFacts: async ({ phone: number }) => void lifted.push(number),
    showsAll: async () => true,
  }
  const execute = <C, E extends DomainEvent, S>(decider: Decider<C, E, S>, stream: string, command: C) =>
    runner.execute({ decider, stream, command, context: contextOf(workspaceId) })
  const created = { workspaceId, slug: 'acme', name: 'Acme', plan: 'pro', country: 'IL', tracking: false } as const
  await execute(workspace, workspaceStream(workspaceId), { type: 'CreateWorkspace', data: created })
  const details = { phone: { value: phone, claimId: 'c' }, details: {}, source: 'api' }
  await execute(contact, contactStream(workspaceId, contactId), { type: 'CreateContact', data: { contactId, ...details } })
  const before = (await store.readAll('start', 100)).events.length
  const inbound = {
    ...{ store, keyRing, contactId, taking, lifted, execute },
    text: (body: string, more: Partial<TakenSms> = {}) => {
      const sms = { providerMessageId: 'SM1', id: `SM${++ids}`, requestId: 'r', from: phone, to: 'acme', body, at }
      return takeInbound(inbound.taking, { ...sms, ...more })
    },
    /** The types of the events since it was opened. */
    types: async (): Promise<readonly string[]> => (await store.readAll('start', 100)).events.slice(before).map(({ type }) => type),
    smsConsent: async () => {
      const { state } = await runner.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
      return state.consents.sms
    },
    assignNumber: (ofWorkspace: WorkspaceId, senderId: string, number: string | null) =>
      runner.execute({
        decider: senderNumbers,
        stream: senderNumbersStream(),
        command: { type: 'AssignSenderNumbers', data: { workspaceId: ofWorkspace, numbers: [{ senderId, number }] } },
        context: contextOf(INSTALLATION),
      }),
    answering: (replies: Readonly<{ stop?: string; start?: string; help?: string }>) =>
      execute(workspace, workspaceStream(workspaceId), {
        type: 'SetSmsReplies',
        data: { stop: null, start: null, help: null, ...replies },
      }),
  }
  return inbound
}
