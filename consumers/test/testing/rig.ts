import { setImmediate } from 'node:timers/promises'
import { type ContentStore, contentStore, createEventLog, type EventLog, openKeyRing, parseMasterKey, upcasters } from '@tidings/codec'
import { type CommandRunner, createCommandRunner } from '@tidings/commands'
import {
  asContactId,
  asMessageId,
  asWorkspaceId,
  type ContactId,
  type ContactState,
  contact,
  contactStream,
  contactSubject,
  type EmailContent,
  eventDeclarations,
  type MessageEvent,
  type MessageId,
  type MessageState,
  message,
  messageStream,
  type SuppressionReason,
  workspaceStream,
} from '@tidings/domain'
import { comparePositions, START } from '@tidings/event-store'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { createFollower, type Follower } from '@tidings/log-views'
import { createLinks, type Links } from '@tidings/mail-content'
import { createPushProvider, createSmsProvider, type EmailProvider, type EmailProviderSettings, emailProvider } from '@tidings/providers'
import { PATIENT_MS } from '@tidings/testing'
import { createWallets, type Wallets } from '@tidings/wallet'
import type { Pool } from 'pg'
import { createFlowView } from '../../src/flows/flow-view.ts'
import type { NoteFacts } from '../../src/outcomes/holder-to-tell.ts'
import { startOutcomes } from '../../src/outcomes/start-outcomes.ts'
import type { RunningConsumers } from '../../src/running.ts'
import { type SendingOptions, startSending } from '../../src/send/start-sending.ts'
import { createCampaignView } from '../../src/views/campaign-view.ts'
import { createRecipientView } from '../../src/views/recipient-view.ts'
import { createWorkspaceView } from '../../src/views/workspace-view.ts'
import { recordingLogger } from './recording-logger.ts'

export const WORKSPACE = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
export const FROM = 'hello@acme.example'
const MASTER_KEY = '00'.repeat(32)
const PUBLIC_URL = 'http://127.0.0.1:3000'

/** A log, a command side and a workspace with a verified sender, over one database. */
export type Rig = Readonly<{
  log: EventLog
  runner: CommandRunner
  wallets: Wallets
  content: ContentStore<EmailContent>
  links: Links
  configureSender: (verified: boolean) => Promise<void>
  newContact: (email: string, suppressed?: readonly SuppressionReason[]) => Promise<ContactId>
  accept: (contactId: ContactId, mail: Partial<Mail>) => Promise<string>
  messageOf: (messageId: MessageId) => Promise<MessageState>
  eventsOf: (messageId: MessageId) => Promise<readonly string[]>
  contactOf: (contactId: ContactId) => Promise<ContactState>
  /** `smsUrl`: the SMS provider, by default the outbox. */
  /** Takes outcomes of messages, and sends none. */
  noteOutcomes: () => void
  consume: (provider: string, options?: ConsumingOptions, email?: Partial<EmailProviderSettings>) => Promise<Consuming>
  erase: (contactId: ContactId) => Promise<void>
  close: () => Promise<void>
}>

/** The settings of sending and of taking outcomes that a test changes. */
export type ConsumingOptions = Partial<SendingOptions> & Readonly<{ smsUrl?: string; noteFacts?: NoteFacts }>
/** `heard`: the process has applied all that the log has now, as a command that is answered waits for (ADR 10). */
export type Consuming = RunningConsumers & Readonly<{ heard: () => Promise<void> }>
type Mail = Readonly<{ to: string; subject: string; html: string; contentId: string | null }>

/** No call that is answered takes so long. A relay that throttles is asked again after a fortieth of it. */
const CALL_MS = 20_000

/** The outbox makes no calls. */
const noCaller = { ask: () => Promise.reject(new Error('nothing leaves the outbox')) }

export async function openRig(pool: Pool): Promise<Rig> {
  const keyRing = await openKeyRing({ pool, masterKey: MASTER_KEY })
  const store = postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS })
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
  const runner = createCommandRunner({ log, deadlineMs: PATIENT_MS })
  const wallets = createWallets({ commands: runner })
  const content = contentStore<EmailContent>({ pool, keyRing })
  const derivers = [parseMasterKey(MASTER_KEY).derive] as const
  const links = createLinks({ publicUrl: PUBLIC_URL, derive: () => derivers })
  const running: (() => Promise<void>)[] = []
  const consume: Rig['consume'] = async (url, { smsUrl = 'outbox', ...options } = {}, email = {}) => {
    const shared = { publicUrl: PUBLIC_URL, pool, callMs: CALL_MS }
    const provider = await emailProvider({ ...shared, provider: url, ...email })
    const sms = options.sms ?? (await createSmsProvider({ ...shared, provider: smsUrl }))
    const push = options.push ?? (await createPushProvider({ ...shared, provider: 'outbox', vapid: null, caller: noCaller }))
    const common = { log, pool, commands: runner, logger: recordingLogger(), ...options }
    const views = {
      ...{ workspaces: createWorkspaceView(log), campaigns: createCampaignView(log) },
      ...{ flows: createFlowView(log), recipients: createRecipientView(options.log ?? log) },
    }
    const sending = startSending({ wallets, content, links, email: provider, ...views, ...common, sms, push })
    const outcomes = startOutcomes(common)
    const follower = createFollower({ log, views: sending.views })
    const stop = once(() => stopAll([sending, outcomes], follower, [provider, sms]))
    running.push(stop)
    const heard = async (): Promise<void> => {
      const head = await log.head()
      while (head !== null && comparePositions(follower.position() ?? START, head) < 0) await setImmediate()
    }
    return { views: sending.views, progress: () => ({ ...sending.progress(), ...outcomes.progress() }), stop, heard }
  }
  const state = { log, runner }
  return {
    ...state,
    wallets,
    content,
    links,
    consume,
    noteOutcomes: () => void running.push(startOutcomes({ log, pool, commands: runner, logger: recordingLogger() }).stop),
    erase: async (contactId) => await keyRing.shred(WORKSPACE, contactSubject({ contactId })),
    ...writing(state),
    ...reading(state),
    close: async () => {
      for (const stop of running) await stop()
      await log.close()
    },
  }
}

type Sides = Readonly<{ log: EventLog; runner: CommandRunner }>

const context = (commandId: string) => ({
  commandId,
  workspaceId: WORKSPACE,
  actor: 'test',
  requestId: 'req-1',
  at: new Date().toISOString(),
})

const writing = ({ log, runner }: Sides): Pick<Rig, 'configureSender' | 'newContact' | 'accept'> => ({
  configureSender: async (verified) => {
    const address = { addressId: crypto.randomUUID(), email: FROM, name: null, status: verified ? 'verified' : 'failed' }
    const events = [
      { type: 'SenderDomainConfigured', data: { domain: 'acme.example', verified, blocklisted: false } },
      { type: 'SenderAddressConfigured', data: address },
    ]
    await log.append(workspaceStream(WORKSPACE), 'any', events, context(crypto.randomUUID()))
  },
  newContact: async (email, suppressed = []) => {
    const contactId = asContactId(crypto.randomUUID())
    const stream = contactStream(WORKSPACE, contactId)
    const data = { contactId, email: { value: email, claimId: crypto.randomUUID() }, details: {}, source: 'test' }
    await runner.execute({ decider: contact, stream, command: { type: 'CreateContact', data }, context: context(contactId) })
    for (const reason of suppressed) {
      const command = { type: 'SuppressContact', data: { contactId, channels: ['email'], reason } } as const
      await runner.execute({ decider: contact, stream, command, context: context(crypto.randomUUID()) })
    }
    return contactId
  },
  accept: async (contactId, { to = 'ada@example.com', subject = 'Hi', html = '<p>Hi</p>', contentId = null }) => {
    const messageId = asMessageId(crypto.randomUUID())
    const sender = { fromEmail: FROM, fromName: 'Acme', replyTo: null }
    const content = contentId === null ? { subject, html, text: null } : null
    const data = { messageId, contactId, to, ...sender, content, contentId, templateId: null, kind: 'transactional' } as const
    const stream = messageStream(WORKSPACE, messageId)
    await runner.execute({ decider: message, stream, command: { type: 'AcceptEmail', data }, context: context(messageId), isNew: true })
    return messageId
  },
})

const reading = ({ log, runner }: Sides): Pick<Rig, 'messageOf' | 'eventsOf' | 'contactOf'> => ({
  messageOf: async (messageId) => {
    const loading = { decider: message, stream: messageStream(WORKSPACE, messageId), workspaceId: WORKSPACE }
    return (await runner.load(loading)).state
  },
  eventsOf: async (messageId) =>
    (await log.readStream<MessageEvent>(WORKSPACE, messageStream(WORKSPACE, messageId))).map(({ type }) => type),
  contactOf: async (contactId) => {
    const loading = { decider: contact, stream: contactStream(WORKSPACE, contactId), workspaceId: WORKSPACE }
    return (await runner.load(loading)).state
  },
})

type Closing = readonly Pick<EmailProvider, 'close'>[]

async function stopAll(consumers: readonly RunningConsumers[], follower: Follower, providers: Closing): Promise<void> {
  await Promise.all(consumers.map(({ stop }) => stop()))
  await follower.close()
  for (const provider of providers) await provider.close()
}

const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let done: Promise<void> | undefined
  return () => (done ??= work())
}
