import { isIP } from 'node:net'

/** The right side of our Message-IDs, from the public address: its host, an IP address as a literal (RFC 5322 §3.6.4). */
export function messageIdHost(publicUrl: string): string {
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? host : `[${host}]`
}

type MailId = Readonly<{ workspaceId: string; messageId: string }>

/** 128 bits in base 36: with a UUID and a dot the left side is 62 characters, below the 64 of a mailbox (RFC 5321 §4.5.3.1.1), and may lose its case. */
const RADIX = 36
const DIGITS = 25

/**
 * What a bounce names a message by: its Message-ID without the brackets. The same at every attempt (M4). It carries the
 * workspace, so that the message's stream is found without asking the read side.
 */
export function providerIdOf({ workspaceId, messageId }: MailId, host: string): string {
  return `${messageId}.${BigInt(`0x${workspaceId.replaceAll('-', '')}`)
    .toString(RADIX)
    .padStart(DIGITS, '0')}@${host}`
}

export function messageIdHeader(id: MailId, host: string): string {
  return `<${providerIdOf(id, host)}>`
}

const OURS = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\.([0-9a-z]{25})(?=@|>|$))?/i

/** What a provider gives back as its id, read as ours. `workspaceId` is null in the ids of mail that left before they carried it. */
export function parseProviderId(text: string): Readonly<{ messageId: string; workspaceId: string | null }> | null {
  const [, messageId, digits] = OURS.exec(text) ?? []
  return messageId === undefined ? null : { messageId: messageId.toLowerCase(), workspaceId: uuidOf(digits?.toLowerCase()) }
}

function uuidOf(digits: string | undefined): string | null {
  if (digits === undefined) return null
  const value = [...digits].reduce((sum, digit) => sum * BigInt(RADIX) + BigInt(Number.parseInt(digit, RADIX)), 0n)
  const hex = value.toString(16).padStart(32, '0')
  return hex.length === 32 ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : null
}
