/** What is never written to a log line, anywhere in the first three levels of its object. */
const SECRETS = ['authorization', 'cookie', 'password', 'secret', 'token', 'key', 'apiKey', 'masterKey', 'otp', 'passcode']
const PERSONAL = ['email', 'phone', 'to', 'firstName', 'lastName', 'subject', 'html', 'text', 'ip', 'remoteAddress', 'userAgent']
const HEADERS = ['["x-api-key"]', '["idempotency-key"]', '["x-tidings-signature"]', '["set-cookie"]']

/** Paths for pino's `redact`: every secret and personal field at the top of a line and up to two objects below. */
export const redactedPaths: readonly string[] = [
  ...['', '*.', '*.*.'].flatMap((above) => [...SECRETS, ...PERSONAL].map((name) => above + name)),
  ...['headers', '*.headers'].flatMap((above) => HEADERS.map((name) => above + name)),
]

/** The text without the user and password of the addresses in it: drivers quote connection strings in their messages. */
export function withoutCredentials(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1')
}
