import { isLoopback } from '@tidings/providers'

/** The address of the mailbox. `tls`: from the first byte (`secure`), or by STARTTLS: required, if offered, or never. */
export type MailboxAddress = Readonly<{
  host: string
  port: number
  secure: boolean
  tls: 'required' | 'optional' | 'off'
  verify: boolean
  credentials: Readonly<{ user: string; pass: string }>
  folder: string
  /** Tells mailboxes apart, without the password. */
  name: string
}>

/**
 * Reads `imaps://user:pass@host:port/FOLDER` or `imap://…`. Without TLS from the first byte STARTTLS is required, unless the host is
 * loopback: `?tls=optional` lifts that, `?tls=off` is refused. Throws one sentence, which has no credentials.
 */
export function mailboxAddress(address: string): MailboxAddress {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !/^imaps?:$/.test(url.protocol) || url.hostname === '')
    throw new Error('The mailbox of bounces must be an address that starts with imap:// or imaps://.')
  if (url.username === '' || url.password === '') throw new Error('The mailbox of bounces must have a user and a password.')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const secure = url.protocol === 'imaps:'
  const port = url.port === '' ? (secure ? 993 : 143) : Number(url.port)
  const user = decoded(url.username)
  const folder = decoded(url.pathname.slice(1)) || 'INBOX'
  return {
    host,
    port,
    secure,
    tls: tlsOf(url.searchParams.get('tls'), secure || isLoopback(host)),
    verify: url.searchParams.get('verify') !== 'off',
    credentials: { user, pass: decoded(url.password) },
    folder,
    name: `${user}@${host}:${port}/${folder}`,
  }
}

function tlsOf(asked: string | null, isSafe: boolean): MailboxAddress['tls'] {
  const tls = asked ?? (isSafe ? 'optional' : 'required')
  if (tls !== 'required' && tls !== 'optional' && tls !== 'off')
    throw new Error('The mailbox of bounces has an unknown tls: it is required, optional or off.')
  if (tls === 'off' && !isSafe)
    throw new Error('The mailbox of bounces would get its password in clear: leave tls=off away, or say tls=optional where that is meant.')
  return tls
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('The mailbox of bounces has a user, a password or a folder that is not percent-encoded.')
  }
}
