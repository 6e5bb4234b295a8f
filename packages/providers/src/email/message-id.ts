import { isIP } from 'node:net'

/** The right side of our Message-IDs, from the public address: its host, an IP address as a literal (RFC 5322 §3.6.4). */
export function messageIdHost(publicUrl: string): string {
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? host : `[${host}]`
}

/** What a bounce can name a message by: its Message-ID without the brackets. The same at every try (decisions.md M4). */
export const providerIdOf = (messageId: string, host: string): string => `${messageId}@${host}`

export const messageIdHeader = (messageId: string, host: string): string => `<${providerIdOf(messageId, host)}>`
