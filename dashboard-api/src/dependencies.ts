import type { CampaignCopies } from '@tidings/administration'
import type { ContentStore, EventLog, StreamReader } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import type { ContactId, EmailContent, EndpointId, WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { LogKey, ProofFile } from '@tidings/evidence/proof'
import type { RateCounters } from '@tidings/http'
import type { DeadLetter } from '@tidings/jobs'
import type { RecordLookups } from '@tidings/outbound-http'
import type { ReadYourWrites } from '@tidings/projections'
import type { ReadModels } from '@tidings/read-models'
import type { ChangeOwnPassword, NotMailed, OwnSessions } from '@tidings/sign-in'
import type { UniqueContacts } from '@tidings/unique-contacts'
import type { Kysely } from 'kysely'
import type { Pool } from 'pg'

type Delivery = Readonly<{ workspaceId: WorkspaceId; source: string; event: string; deliveryId: string }>
type Signing = Readonly<{ event: string; deliveryId: string; body: string; secret: string }>

/** What webhooks deliver. `bodyOf`: null once the person that it is about is erased. */
type Deliveries = Readonly<{
  bodyOf: (delivery: Delivery) => Promise<string | null>
  sign: (signing: Signing) => Readonly<{ headers: Readonly<Record<string, string>>; expiresAt: string | null }>
}>

/** `contactId`: null for all of the workspace. `at`: a moment whose state the report shows as well; null for none. `maxLog`: the longest log that is read for all. */
type WantedProof = Readonly<{
  workspace: Readonly<{ id: WorkspaceId; slug: string }>
  contactId: ContactId | null
  at: string | null
  maxEvents: number
  maxLog?: number
}>

type DiscardLetter = (letter: DeadLetter, note: string) => Promise<Readonly<{ discarded: boolean; position: Position | null }>>

/** `relays`: where mail leaves from. `counters` count how often DNS is asked. */
type SenderLookups = Readonly<{ lookups: RecordLookups; blocklists: readonly string[]; relays: readonly string[]; counters: RateCounters }>

/** `obstacle`: why mail of the service's own does not leave; null where it does. `takeMailbox`: false for one that was written to often enough today. */
type LinkMails = Readonly<{ obstacle: NotMailed | null; takeMailbox: (email: string) => Promise<boolean> }>

/** `mend`: what to do about it. */
type Finding = Readonly<{ check: string; ok: boolean; said: string; mend?: string }>

/** The dependencies of the routes; the composition root builds them once. */
export type DashboardDependencies = Readonly<{
  /** The read models. In a route that only reads, they may be those of a replica; nothing is decided by them there. */
  db: Kysely<ReadModels>
  /** The same, for SQL that is written out. */
  reads: Pool
  /** The same for what is sent while it is read: each statement by itself, and only where it shows all that was confirmed. */
  dbOfLong: (workspaceId: WorkspaceId) => Kysely<ReadModels>
  /** The tables of work, of which no checkpoint says what they show: they are read where they are written. */
  pool: Pool
  log: StreamReader & Pick<EventLog, 'head' | 'readAll'>
  contents: ContentStore<EmailContent>
  commands: CommandRunner
  uniqueContacts: Pick<UniqueContacts, 'create' | 'ownerOf'>
  readSide: ReadYourWrites
  users: Readonly<{ ownSessions: OwnSessions; changePassword: ChangeOwnPassword; secureCookies: boolean }>
  deliveries: Deliveries
  webhooks: Readonly<{ find: (workspaceId: WorkspaceId, endpointId: EndpointId) => Promise<Readonly<{ signingSecret: string }> | null> }>
  campaignCopies: CampaignCopies
  /** Gives up a dead letter, and the message that it was to send. */
  discardLetter: DiscardLetter
  senders: SenderLookups
  linkMails: LinkMails
  /** The contact that has the address now, by the log; null where none has. */
  contactHolding: (workspaceId: WorkspaceId, kind: 'email' | 'phone', value: string) => Promise<ContactId | null>
  /** The files that prove what a contact consented to, or all of a workspace, verified. */
  proveConsents: (wanted: WantedProof) => Promise<readonly ProofFile[]>
  /** The key that signs the heads of the log. */
  openLogKey: () => Promise<Pick<LogKey, 'fingerprint' | 'publicKey' | 'sign'>>
  /** What `tidings doctor` says; callers at once share one answer. */
  findings: () => Promise<readonly Finding[]>
  /** What this process is not ready for, as `/health/ready` says. */
  missingParts: () => Promise<readonly Readonly<{ name: string; reason: string }>[]>
  /** Connections that requests have. */
  poolSize: number
  /** Where the world reaches the service, for links. */
  publicUrl: string
  /** With fewer SMS credits a workspace needs more. */
  lowCredits: number
  /** Mail leaves this machine. */
  sendsForReal: boolean
  /** The server's clock: ISO 8601, UTC, milliseconds. */
  now: () => string
}>
