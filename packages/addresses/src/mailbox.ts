import { emailKey } from './email.ts'

/** The mailbox of an address: most providers ignore the part behind a plus, Google dots too. Otherwise one person has addresses without end. */
export function mailboxOf(address: string): string {
  const email = emailKey(address)
  const at = email.lastIndexOf('@')
  const [name, domain] = [email.slice(0, at).replace(/(?<=.)\+.*$/s, ''), email.slice(at + 1)]
  return /^g(?:oogle)?mail\.com$/.test(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`
}
