import type { AppendContext, ContentStore } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import type { Profile } from '@tidings/contracts'
import type { Directory } from '@tidings/directory'
import type { ApiKeyId, ContactId, EmailContent, EndpointId, ListId, WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { ConsentState, WantedConsent } from '@tidings/evidence'
import type { AuthenticateSession } from '@tidings/http'
import type { Links } from '@tidings/mail-content'
import type { Guard } from '@tidings/outbound-http'
import type { Passcodes } from '@tidings/passcodes'
import type { ReadYourWrites } from '@tidings/projections'
import type { MailgunWebhooks, SnsInbox, TwilioCallbacks } from '@tidings/providers'
import type { ApiKeyRecord } from '@tidings/read-models'
import type { InboundOutcome, MessageLookup, TakenSms } from '@tidings/receipts'
import type { ChangeOwnPassword, OwnSessions, Sessions, SignIn, SignInByLink } from '@tidings/sign-in'
import type { UniqueContacts } from '@tidings/unique-contacts'
import type { Pool } from 'pg'
import type { ConfirmationCap } from './forms/confirmation-cap.ts'

type MembersOf = Readonly<{ workspaceId: WorkspaceId; listId: ListId; contactIds: readonly ContactId[] }>

/** The reads of the webhook routes beside the aggregate. */
type Webhooks = Readonly<{
  /** Says which URLs may be called. */
  guard: Guard
  /** Endpoints of a workspace, at most. */
  limit: number
  /** The secret and creation time of an endpoint, from the log; null where it was deleted. */
  find: (workspaceId: WorkspaceId, endpointId: EndpointId) => Promise<Readonly<{ signingSecret: string; at: string }> | null>
}>

/** The reports of providers of text messages and calls, and the replies of people. The counters count by outcome. */
type Phone = Readonly<{
  twilio: TwilioCallbacks
  takeInbound: (sms: TakenSms) => Promise<InboundOutcome>
  countReceipt: (outcome: string) => void
  countInbound: (outcome: string) => void
}>
/** Users and their sessions. */
type Users = Readonly<{
  signIn: SignIn
  /** Null where the dashboard is switched off. */
  signInByLink: SignInByLink | null
  /** The sessions that a user is shown, and the change of their own password: for the dashboard. */
  ownSessions: OwnSessions
  changePassword: ChangeOwnPassword
  endSession: Sessions['end']
  authenticate: AuthenticateSession
  /** Browsers send the cookies over TLS only. */
  secureCookies: boolean
}>

/** The reads of the routes of API keys beside the aggregate. */
type ApiKeys = Readonly<{
  /** The keys as the read side shows them now, newest first. */
  list: (workspaceId: WorkspaceId) => Promise<readonly ApiKeyRecord[]>
  find: (workspaceId: WorkspaceId, keyId: ApiKeyId) => Promise<ApiKeyRecord | undefined>
  /** True once every live process has seen the log up to here; false on a timeout. */
  takesEffect: (position: Position) => Promise<boolean>
}>

/** A recorded activity, by which its contact may enter flows; `position` is that of the event, `context` that of its command. */
type FlowCause = Readonly<{ context: AppendContext; contactId: ContactId; activityId: string; event: string; position: Position }>

/** The dependencies of the write routes; the composition root builds them once. */
export type Dependencies = Readonly<{
  commands: CommandRunner
  uniqueContacts: UniqueContacts
  /** The reads of a decision beside its own stream. */
  directory: Directory
  contents: ContentStore<EmailContent>
  /** The credits that a workspace can spend on text messages, for the check before one is accepted. */
  credits: Readonly<{
    available: (workspaceId: WorkspaceId) => number | Promise<number>
    availableNow: (workspaceId: WorkspaceId) => Promise<number>
  }>
  /** Creates the links of mails, and opens their tokens. */
  links: Links
  readSide: ReadYourWrites
  /** The profile as the read side shows it now; null where it shows none. */
  findProfile: (workspaceId: WorkspaceId, contactId: ContactId) => Promise<Profile | null>
  /** A contact's consent at a moment, from the log; null where there was no such contact, or is no more. */
  consents: (wanted: WantedConsent) => Promise<ConsentState | null>
  /** All members of a list, and how many of the given contacts are among them, as the read side shows both at one moment. */
  memberCounts: (of: MembersOf) => Promise<Readonly<{ total: number; among: number }>>
  /** The end of the log now, for answers about what another call wrote a moment ago. */
  logHead: () => Promise<Position>
  /** Counts the events that a command appended to a stream; reads all of it. */
  writtenBy: (stream: string, context: AppendContext) => Promise<number>
  /** Finds the message of a receipt that carries no workspace. */
  messages: MessageLookup
  /**
   * Enters the flows on this event and answers how many were really entered (D10); asked again for the same cause it enters none twice.
   * Missing where the product has no flows: then none is entered.
   */
  enterFlows?: (cause: FlowCause) => Promise<number>
  webhooks: Webhooks
  users: Users
  apiKeys: ApiKeys
  passcodes: Pick<Passcodes, 'checkCap' | 'send' | 'verify'>
  confirmations: ConfirmationCap
  phone: Phone
  /** The key that signs the heads of the log; hex. */
  logKey: () => Promise<Readonly<{ fingerprint: string; publicKey: string }>>
  /** Signs email receipts; null refuses them all. */
  providerSecret: string | null
  mailgun: MailgunWebhooks
  sns: SnsInbox
  /** The store of the development outbox. */
  pool: Pool
  /** The server's clock: ISO 8601, UTC, milliseconds. */
  now: () => string
}>
