import type { Options } from 'nodemailer/lib/smtp-connection'

/** `smtp://` upgrades by STARTTLS where the server offers it; `?tls=required` insists, `?tls=off` does not try. `smtps://` is TLS from the first byte. */
export function smtpOptions(address: string, callMs: number): Options {
  const url = new URL(address)
  const secure = url.protocol === 'smtps:'
  const tls = url.searchParams.get('tls')
  const name = url.searchParams.get('name')
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off',
    ...(name === null ? {} : { name }),
    tls: { rejectUnauthorized: url.searchParams.get('verify') !== 'off' },
    connectionTimeout: callMs,
    greetingTimeout: callMs,
    dnsTimeout: callMs,
    socketTimeout: callMs,
  }
}

/** User and password of the address, null when it names none. */
export function smtpCredentials(address: string): Readonly<{ user: string; pass: string }> | null {
  const url = new URL(address)
  return url.username === '' ? null : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
}
