import { isIPv4 } from 'node:net'
import type { Options } from 'nodemailer/lib/smtp-connection'

export type Credentials = Readonly<{ user: string; pass: string }>

/** How to reach a relay. `tls`: from the first byte, by STARTTLS or not at all; by STARTTLS where it offers that; never. */
type RelayAddress = Readonly<{
  host: string
  port: number
  secure: boolean
  tls: 'required' | 'optional' | 'off'
  /** TLS would be required, but the address lifts that. */
  tlsLifted: boolean
  verify: boolean
  /** Our name in EHLO; nodemailer chooses it where null. */
  name: string | null
  credentials: Credentials | null
}>

/**
 * Reads `smtp://user:pass@host:port` or `smtps://…`. With credentials and a host that is not loopback TLS is required: `?tls=optional`
 * lifts that, `?tls=off` is refused. Without them the default is STARTTLS where it is offered. Throws one sentence, which has no credentials.
 */
export function relayAddress(address: string): RelayAddress {
  const url = new URL(address)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const secure = url.protocol === 'smtps:'
  const credentials = credentialsIn(url)
  const isExposed = credentials !== null && !secure && !isLoopback(host)
  const tls = url.searchParams.get('tls') ?? (isExposed ? 'required' : 'optional')
  if (tls !== 'required' && tls !== 'optional' && tls !== 'off')
    throw new Error('The email provider has an unknown tls: it is required, optional or off.')
  if (isExposed && tls === 'off')
    throw new Error('The email provider would send its password in clear: leave tls=off away, or say tls=optional where that is meant.')
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    tls,
    tlsLifted: isExposed && tls === 'optional',
    verify: url.searchParams.get('verify') !== 'off',
    name: url.searchParams.get('name'),
    credentials,
  }
}

export function connectionOptions({ host, port, secure, tls, verify, name }: RelayAddress, callMs: number): Options {
  return {
    host,
    port,
    secure,
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off',
    ...(name === null ? {} : { name }),
    tls: { rejectUnauthorized: verify },
    connectionTimeout: callMs,
    greetingTimeout: callMs,
    dnsTimeout: callMs,
    socketTimeout: callMs,
  }
}

const credentialsIn = (url: URL): Credentials | null =>
  url.username === '' ? null : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }

/** Whether what goes to the host stays on this machine. */
export function isLoopback(host: string): boolean {
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost') || (isIPv4(host) && host.startsWith('127.'))
}

/** A server's text without the credentials, which it may repeat after a login. */
export function withoutCredentials(text: string, credentials: Credentials | null): string {
  if (credentials === null || credentials.pass === '') return text
  const { user, pass } = credentials
  const secrets = [`\0${user}\0${pass}`, pass].map((secret) => Buffer.from(secret).toString('base64'))
  return [...secrets, pass].reduce((cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'), text)
}
