import { isIPv4 } from 'node:net'

export type Credentials = Readonly<{ user: string; pass: string }>

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
