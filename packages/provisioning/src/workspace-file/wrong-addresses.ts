import { domainName, isCountry, isValidEmail } from '@tidings/addresses'
import type { WorkspaceFile } from './schema.ts'

/** Addresses that cannot be used to send or to log in, and a country whose local numbers cannot be parsed (G14, G41). */
export function* wrongAddresses({ country, users = [], senderDomains = [], senderAddresses = [] }: WorkspaceFile): Iterable<string> {
  if (country !== undefined && !isCountry(country)) yield `country: "${country}" is no country: write the two letters of ISO 3166, like IL`
  for (const [i, { email }] of users.entries()) if (!isValidEmail(email.trim())) yield `users[${i}].email: "${email}" is no email address`
  for (const [i, { domain }] of senderDomains.entries())
    if (domainName(domain.trim()) === null) yield `senderDomains[${i}].domain: "${domain}" is no domain that an email address can be in`
  for (const [i, { email }] of senderAddresses.entries())
    if (!isValidEmail(email.trim())) yield `senderAddresses[${i}].email: "${email}" is no email address`
}
