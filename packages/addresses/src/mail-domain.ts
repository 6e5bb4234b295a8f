import { getDomain } from 'tldts'
import { emailKey } from './email.ts'

/** The domain that somebody registered: with a catch-all, mail to every name and host below it arrives with its owner. */
export function mailDomainOf(address: string): string {
  const email = emailKey(address)
  const host = email.slice(email.lastIndexOf('@') + 1)
  // The private part of the list of public suffixes: hosts below `github.io` have owners of their own.
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}
