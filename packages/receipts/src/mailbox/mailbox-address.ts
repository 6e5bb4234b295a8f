import { addressIn, checksCertificate, decodedPart, hostIn, isLoopback, tlsIn } from '@tidings/providers'

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

const WHAT = 'The mailbox of bounces'
const FORM = { what: WHAT, form: 'imaps://user:pass@host:port/FOLDER', options: ['tls', 'verify'], hasPath: true }

/**
 * Reads `imaps://user:pass@host:port/FOLDER` or `imap://…`. Without TLS from the first byte STARTTLS is required, unless the host is
 * loopback: `?tls=optional` lifts that, `?tls=off` is refused. Throws one sentence, which has no credentials.
 */
export function mailboxAddress(address: string): MailboxAddress {
  const url = addressIn(address, FORM)
  if (!/^imaps?:$/.test(url.protocol)) throw new Error(`${WHAT} must be an address that starts with imap:// or imaps://.`)
  if (url.username === '' || url.password === '') throw new Error(`${WHAT} must have a user and a password.`)
  const host = hostIn(url)
  const secure = url.protocol === 'imaps:'
  const port = url.port === '' ? (secure ? 993 : 143) : Number(url.port)
  const user = decodedPart(url.username, WHAT)
  const folder = decodedPart(url.pathname.slice(1), WHAT) || 'INBOX'
  return {
    host,
    port,
    secure,
    tls: tlsIn(url, { what: WHAT, isExposed: !secure && !isLoopback(host) }),
    verify: checksCertificate(url, WHAT),
    credentials: { user, pass: decodedPart(url.password, WHAT) },
    folder,
    name: `${user}@${host}:${port}/${folder}`,
  }
}
