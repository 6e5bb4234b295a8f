import { emailKey } from './email.ts'

/** Where mail to the address arrives: most providers ignore what is behind a plus, Google dots too. Else one person has addresses without end. */
export function mailboxOf(address: string): string {
  const email = emailKey(address)
  const at = email.lastIndexOf('@')
  const [name, domain] = [email.slice(0, at).replace(/(?<=.)\+.*$/s, ''), email.slice(at + 1)]
  return /^g(?:oogle)?mail\.com$/.test(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`
}
