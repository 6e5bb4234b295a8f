import type { MessageId, WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'
import type { SendOptions } from '../port.ts'
import type { TakenMessage } from '../taken.ts'

/** What a mail is signed with (RFC 6376). `privateKey`: PKCS#8 as PEM; never stored, logged or sent. */
export type DkimKey = Readonly<{ domain: string; selector: string; privateKey: string }>

/**
 * What marketing mail is of: it can be unsubscribed from at `unsubscribeUrl`, and `sentBy` is what its figures at receivers are counted by.
 */
export type Subscription = Readonly<{ unsubscribeUrl: string; sentBy: Readonly<{ kind: 'campaign' | 'template'; id: string | null }> }>

/** One email to one person, everything in it final. `messageId` is our id. */
export type EmailMessage = Readonly<{
  workspaceId: WorkspaceId
  messageId: MessageId
  requestId: string
  from: Readonly<{ email: string; name: string | null }>
  to: string
  replyTo: string | null
  subject: string
  html: string
  text: string | null
  /** Only marketing mail has it: all other mail says that a program wrote it (M53). */
  subscription?: Subscription
  /** The DKIM key; without it only the relay signs. */
  dkim?: DkimKey
}>

/** How mail leaves. Throws `DeliveryError` and nothing else, besides what `fence` throws. Sending the same message again uses the same Message-ID. */
export type EmailProvider = Readonly<{
  name: string
  /** Longest time of one step of a call, in ms: connecting, or one command. The answer to the mail itself may take far longer. */
  callMs: number
  send: (message: EmailMessage, options: SendOptions) => Promise<TakenMessage>
  /** A message goes to one of several, and it is put down to which before it leaves (M68). */
  hasSeveral?: boolean
  /** Why no mail can leave at all, null while it can. The provider notices by itself when that is over. */
  outage: () => string | null
  close: () => Promise<void>
}>

/** The envelope senders of mails, one a message. */
export type EnvelopeSenders = Readonly<{ addressOf: (messageId: MessageId) => string }>

/** Where a mail unsubscribes the reader of a message (RFC 2369). */
export type UnsubscribeAddresses = Readonly<{ unsubscribeAddressOf: (messageId: MessageId) => string }>

/**
 * What an email provider is opened with. `provider`: its address. `callMs`: for connecting and each command. `answerMs`: for the answer to a mail.
 * Without `returnPaths` the sender of a mail is its envelope sender. `onOutage` gets why no mail can leave, once when an outage begins, and null when
 * it is over.
 */
export type EmailProviderOptions = Readonly<{
  provider: string
  publicUrl: string
  pool: Pool
  callMs?: number
  answerMs?: number
  returnPaths?: EnvelopeSenders
  unsubscribeAddresses?: UnsubscribeAddresses
  onOutage?: (reason: string | null) => void
}>
