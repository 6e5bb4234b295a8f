import { createEventLog, openKeyRing, upcasters } from '@tidings/codec'
import { type CommandExecutor, type CommandRunner, createCommandRunner } from '@tidings/commands'
import {
  asContactId,
  asMessageId,
  asWorkspaceId,
  type ContactId,
  eventDeclarations,
  INSTALLATION,
  type MessageCommand,
  type MessageEvent,
  type MessageId,
  message,
  messageStream,
  senderNumbers,
  senderNumbersStream,
} from '@tidings/domain'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { createSmsProvider, type PartReceipt } from '@tidings/providers'
import { PATIENT_MS } from '@tidings/testing'
import type { Pool } from 'pg'
import { storeParts } from '../../src/sms/part-store.ts'
import { takePartReceipt } from '../../src/sms/take-part-receipt.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const MASTER_KEY = '00'.repeat(32)
/** The label of the SMSC whose parts these are. */
export const SMSC = 'smsc.example:2775'
/** Three parts. */
export const LONG = 'a'.repeat(400)

/** What a process of the service has, over one database: any number of them may be open. */
export async function openProcess(pool: Pool, url: string) {
  const keyRing = await openKeyRing({ pool, masterKey: MASTER_KEY })
  const log = createEventLog({
    store: postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS }),
    declarations: eventDeclarations,
    upcasters,
    keyRing,
  })
  const runner = createCommandRunner({ log, deadlineMs: PATIENT_MS })
  const taking = { pool, log, runner, provider: SMSC }
  const warnings: string[] = []
  const provider = await createSmsProvider({
    provider: url,
    publicUrl: 'http://127.0.0.1:3000',
    pool,
    callMs: 60_000,
    onSubmitted: (sms) => storeParts(pool, sms, SMSC),
    onReceipt: async (receipt) => ((await takePartReceipt(taking, receipt)) === null ? 'unknown' : 'taken'),
    onWarning: (sentence) => void warnings.push(sentence),
  })
  const eventsOf = (messageId: MessageId) => log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, messageId))
  return {
    keyRing,
    warnings,
    /** Takes a receipt without a session. `runner`: the runner of a command side that may fail. */
    take: (receipt: PartReceipt, failing: CommandExecutor = runner) => takePartReceipt({ ...taking, runner: failing }, receipt),
    accept: accepting(runner),
    /** Its contact has another number by the time of the hand-over. */
    readdress: async ({ messageId }: Accepted, to: string) => {
      const command: MessageCommand = { type: 'ReaddressMessage', data: { to } }
      const context = { commandId: crypto.randomUUID(), workspaceId, actor: 'test', requestId: 'r', at: new Date().toISOString() }
      await runner.execute({ decider: message, stream: messageStream(workspaceId, messageId), command, context })
    },
    setNumber: async (senderId: string, number: string) => {
      const command = { type: 'AssignSenderNumbers', data: { workspaceId, numbers: [{ senderId, number }] } } as const
      const context = {
        commandId: crypto.randomUUID(),
        workspaceId: INSTALLATION,
        actor: 'test',
        requestId: 'r',
        at: new Date().toISOString(),
      }
      await runner.execute({ decider: senderNumbers, stream: senderNumbersStream(), command, context })
    },
    /** Sends it as the pipeline would, which may die before it has recorded that. */
    send: ({ messageId, to }: Accepted, body = 'Hello') =>
      provider.send(
        { workspaceId, messageId, to, from: 'Acme', body },
        { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' },
      ),
    statusOf: async (messageId: MessageId) => (await eventsOf(messageId)).reduce(message.evolve, message.initialState).status,
    typesOf: async (messageId: MessageId) => (await eventsOf(messageId)).map(({ type }) => type),
    close: async () => {
      await provider.close()
      await log.close()
    },
  }
}

type Accepted = Readonly<{ messageId: MessageId; contactId: ContactId; to: string }>
const sms = { from: 'Acme', body: 'Hello', credits: 1, segments: 1, templateId: null, kind: 'transactional' as const }

const accepting =
  ({ execute }: CommandRunner) =>
  async (to = '+491701234567', from = 'Acme'): Promise<Accepted> => {
    const messageId = asMessageId(crypto.randomUUID())
    const contactId = asContactId(crypto.randomUUID())
    const command: MessageCommand = { type: 'AcceptSms', data: { messageId, contactId, to, ...sms, from } }
    const context = { commandId: messageId, workspaceId, actor: 'test', requestId: 'r', at: new Date().toISOString() }
    await execute({ decider: message, stream: messageStream(workspaceId, messageId), command, context })
    return { messageId, contactId, to }
  }

export const WORKSPACE = workspaceId

/** The deliver_sm of a receipt. `from`: the recipient, as the SMSC writes it. */
export function receiptOf(id: string, stat: string, from = '491701234567') {
  const text = `id:${id} sub:001 dlvrd:001 submit date:2611221200 done date:2611221201 stat:${stat} err:000 text:Hello`
  return { source_addr_ton: 1, source_addr: from, destination_addr: 'Acme', esm_class: 4, short_message: text }
}
