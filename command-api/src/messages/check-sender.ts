import { normalizeEmail } from '@tidings/contact-points'
import type { DirectoryWorkspace } from '@tidings/directory'
import { Refused } from '@tidings/domain'

export type Sender = Readonly<{ email: string; name: string | null }>

/** The three From checks in the contract's order, each with its own code (POST /public/messages/email). */
export const checkSender = ({ senderDomains, senderAddresses }: DirectoryWorkspace, fromEmail: string): Sender => {
  const email = normalizeEmail(fromEmail)
  const domain = senderDomains.get(email.slice(email.lastIndexOf('@') + 1))
  if (!domain?.verified) throw new Refused('from_domain_not_verified')
  if (domain.blocklisted) throw new Refused('from_domain_blacklisted')
  const address = senderAddresses.get(email)
  if (address?.status !== 'verified') throw new Refused('sender_inbox_not_verified')
  return { email, name: address.name }
}
