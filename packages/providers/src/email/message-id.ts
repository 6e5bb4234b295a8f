import { isIP } from 'node:net'
import { asMessageId, asWorkspaceId, type MessageId, type WorkspaceId } from '@tidings/domain'
import { uuidFromBase36, uuidToBase36 } from './base36.ts'

/** The right side of our Message-IDs, from the public address: its host, an IP address as a literal (RFC 5322 §3.6.4). */
export function messageIdHost(publicUrl: string): string {
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? host : `[${host}]`
}

type MailId = Readonly<{ workspaceId: WorkspaceId; messageId: MessageId }>

/**
 * What a bounce names a message by: its Message-ID without the brackets. The same at every attempt (M4). It carries the
 * workspace, so that the message's stream is found without asking the read side: with a UUID, a dot and 25 digits the left side is 62
 * characters, below the 64 of a mailbox (RFC 5321 §4.5.3.1.1), and may lose its case.
 */
export function providerIdOf({ workspaceId, messageId }: MailId, host: string): string {
  return `${messageId}.${digitsOf(workspaceId)}@${host}`
}

let last: Readonly<{ workspaceId: WorkspaceId | null; digits: string }> = { workspaceId: null, digits: '' }
/** Mails that follow each other are of one workspace: 0.1 µs, and 1.6 where they are not. */
const digitsOf = (workspaceId: WorkspaceId): string => {
  if (workspaceId !== last.workspaceId) last = { workspaceId, digits: uuidToBase36(workspaceId) }
  return last.digits
}

export function messageIdHeader(id: MailId, host: string): string {
  return `<${providerIdOf(id, host)}>`
}

/** What is longer on either side is another's: the ids of Amazon SES have a UUID in their middle. */
const OURS = /(?<![0-9a-z-])([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![0-9a-z-])(?:\.([0-9a-z]{25})(?=@|>|$))?/i

/** What a provider gives back as its id, read as ours. `workspaceId` is null in the ids of mail that left before they carried it. */
export function parseProviderId(text: string): Readonly<{ messageId: MessageId; workspaceId: WorkspaceId | null }> | null {
  const [, messageId, digits] = OURS.exec(text) ?? []
  if (messageId === undefined) return null
  const workspace = digits === undefined ? null : uuidFromBase36(digits)
  return { messageId: asMessageId(messageId.toLowerCase()), workspaceId: workspace === null ? null : asWorkspaceId(workspace) }
}
