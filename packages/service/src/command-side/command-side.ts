import { isoNow } from '@tidings/async/clock'
import { type ContentStore, contentStore, type EventLog, eventId, type MasterKeys } from '@tidings/codec'
import {
  type CommandApiDependencies,
  createConfirmationCap,
  createDomainCap,
  createMailboxCap,
  type MailboxCap,
} from '@tidings/command-api'
import { type CommandRunner, createCommandRunner, writtenBy } from '@tidings/commands'
import { type Config, OperationFailed, publicUrl } from '@tidings/config'
import { createFlowEntry, createFlowView, type FlowEntry, type FlowView } from '@tidings/consumers'
import { createSenderNumberView, type Directory, type SenderNumberView } from '@tidings/directory'
import { activityStream, type EmailContent } from '@tidings/domain'
import { readConsent } from '@tidings/evidence'
import { openLogKey } from '@tidings/evidence/proof'
import { createLinks, type Links } from '@tidings/mail-content'
import type { Log } from '@tidings/observability/log'
import { kyselyOn } from '@tidings/postgres'
import type { ReadSide } from '@tidings/projections'
import {
  createMailgunWebhooks,
  createSnsInbox,
  type MailgunWebhooks,
  mailgunAccountIn,
  providersNamed,
  type SnsInbox,
  sesAccountIn,
} from '@tidings/providers'
import { memberCounts, profileById, type ReadModels, toProfile } from '@tidings/read-models'
import type { InboundTexts } from '@tidings/receipts'
import { type CreditView, createCreditView, createWallets, type LowCredits, type Wallets } from '@tidings/wallet'
import { LRUCache } from 'lru-cache'
import { contactsIn } from '../stores/contacts-in.ts'
import type { Stores } from '../stores/open-stores.ts'
import { answerWhenStopped } from './answer-when-stopped.ts'
import { messageLookup } from './message-lookup.ts'
import { inboundTexts, phoneDependencies } from './phone-dependencies.ts'
import { keyDependencies, userDependencies } from './users-and-keys.ts'
import { webhookDependencies } from './webhook-endpoints.ts'

/** `credits` and `senderNumbers` are views of the log: they need a follower where their routes run. */
export type CommandSide = Readonly<{
  commands: CommandRunner
  contents: ContentStore<EmailContent>
  wallets: Wallets
  credits: CreditView
  senderNumbers: SenderNumberView
  flows: Flows
  inbound: InboundTexts
  /** The cap on mails that ask to confirm something. */
  mailboxes: MailboxCap
  /** Passcodes have parts that only a process with their routes has. */
  dependencies: Omit<CommandApiDependencies, 'passcodes'>
}>

type Collaborators = Readonly<{ directory: Directory; readSide: ReadSide; log: Log; config: Config }>

/** What decides and appends, once a process. */
export function createCommandSide(
  { log: eventLog, keyRing, pool, masters }: Stores,
  { directory, readSide, log, config }: Collaborators,
): CommandSide {
  const commands = createCommandRunner({ log: eventLog })
  const apiKeys = keyDependencies(pool)
  const answering = answerWhenStopped({ commands, readSide }, apiKeys.takesEffect)
  const uniqueContacts = contactsIn(
    { log: eventLog, keyRing },
    {
      runner: answering.commands,
      onUnreleased: (error) => log.warn({ err: error }, 'a claim was not released; the next claim of the address heals it'),
    },
  )
  const db = kyselyOn<ReadModels>(pool)
  const find = profileById(db)
  const findProfile: CommandApiDependencies['findProfile'] = async (workspaceId, contactId) => {
    const row = await find(workspaceId, contactId)
    return row ? toProfile(row) : null
  }
  const contents = contentStore<EmailContent>({ pool, keyRing })
  const flows = createFlows(eventLog, commands)
  const wallets = createWallets({ commands, lowCreditsThreshold: config.credits.low, onLowCredits: reportLowCredits(log) })
  const credits = createCreditView(commands)
  const senderNumbers = createSenderNumberView(eventLog)
  const inbound = inboundTexts({
    ...{ runner: answering.commands, pool, uniqueContacts, log: eventLog, keyRing, readSide },
    onFault: (error) => log.warn({ err: error }, 'a text from a person could not be taken; it is tried again'),
  })
  const mailboxes = createMailboxCap({ pool, derive: masters.derivers })
  const dependencies: CommandSide['dependencies'] = {
    commands: answering.commands,
    uniqueContacts,
    directory,
    contents,
    credits,
    links: createMailLinks(config, masters),
    readSide: answering.readSide,
    enterFlows: flows.enterByActivity,
    findProfile,
    consents: (wanted) => readConsent(eventLog, wanted),
    memberCounts: memberCounts(db),
    logHead: eventLog.head,
    writtenBy: (stream, context) => writtenBy(eventLog, stream, context),
    messages: messageLookup({ pool, log: eventLog, readSide }),
    webhooks: webhookDependencies(config, eventLog),
    users: userDependencies(config, { pool, commands, keyRing, directory }),
    apiKeys,
    confirmations: createConfirmationCap({
      pool,
      digestOf: (workspaceId, email) => keyRing.claimDigest(workspaceId, 'email', email),
      perHour: config.forms.confirmationsPerHour,
      mailboxes,
      domains: createDomainCap({ pool, derive: masters.derivers }),
    }),
    phone: phoneDependencies(config, inbound),
    logKey: () => openLogKey(keyRing),
    providerSecret: config.secrets.providerSecret,
    mailgun: mailgunWebhooks(config.email.provider),
    sns: snsInbox(config.email.provider),
    pool,
    now: isoNow,
  }
  return { commands, contents, wallets, credits, senderNumbers, flows, inbound, mailboxes, dependencies }
}

/** The links in mails, sealed under the master key in force; links of mail sent under an earlier one still open. */
export function createMailLinks({ http }: Pick<Config, 'http'>, masters: Pick<MasterKeys, 'derivers'>): Links {
  return createLinks({ publicUrl: publicUrl(http), derive: masters.derivers })
}

/** `view` needs a follower. `enterByActivity`: for the route that recorded an activity. */
type Flows = Readonly<{ view: FlowView; entry: FlowEntry; enterByActivity: NonNullable<CommandApiDependencies['enterFlows']> }>

/** The flows of this process: what the route of event ingest enters, and what the consumer of flows walks. */
function createFlows(log: EventLog, commands: CommandRunner): Flows {
  const view = createFlowView(log)
  const entry = createFlowEntry({ log, commands, flows: view })
  return {
    view,
    entry,
    enterByActivity: ({ context, contactId, activityId, event, position }) => {
      const { workspaceId, commandId, requestId, at } = context
      const stream = activityStream(workspaceId, activityId)
      return entry.enterFlows({
        workspaceId,
        contactId,
        trigger: { type: 'custom_event', event },
        eventId: eventId(commandId, stream, 0),
        type: 'ActivityRecorded',
        stream,
        position,
        at,
        requestId,
      })
    },
  }
}

/** A workspace is named again after an hour: around the threshold a wallet crosses it with every message that is released. */
const REPEAT_MS = 3_600_000
const MAX_WORKSPACES = 1_000

/** One log line for a wallet that falls under the threshold. Never throws: it is called in the middle of a hold. */
export function reportLowCredits(log: Pick<Log, 'warn'>): (low: LowCredits) => void {
  const named = new LRUCache<string, true>({ max: MAX_WORKSPACES, ttl: REPEAT_MS, ttlResolution: 0 })
  return (low) => {
    if (named.has(low.workspaceId)) return
    named.set(low.workspaceId, true)
    try {
      log.warn({ ...low }, 'the SMS credits of a workspace are low: add more with `tidings credits add`')
    } catch {
      // A log that cannot be written must not cost the message.
    }
  }
}

/** The reports of all Mailgun domains of the setting that have a signing key; without one, no report is taken. */
function mailgunWebhooks(setting: string): MailgunWebhooks {
  return createMailgunWebhooks(ofEach(setting, (address) => mailgunAccountIn(address)?.webhookKey ?? null))
}

/** The reports of all accounts of Amazon SES of the setting that name a topic; without one, no report is taken. */
function snsInbox(setting: string): SnsInbox {
  return createSnsInbox(ofEach(setting, (address) => sesAccountIn(address)?.topic ?? null))
}

function ofEach<Account>(setting: string, find: (address: string) => Account | null): readonly Account[] {
  try {
    return providersNamed('email', setting)
      .map(({ address }) => find(address))
      .filter((found) => found !== null)
  } catch (error) {
    throw new OperationFailed(`TIDINGS_EMAIL_PROVIDER cannot be used. ${error instanceof Error ? error.message : ''}`)
  }
}
