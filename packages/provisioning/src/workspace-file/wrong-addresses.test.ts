import { expect, it } from 'vitest'
import { parseWorkspaceFile } from './parse.ts'

const parse = (rest: string) => parseWorkspaceFile(`workspace: { slug: acme, name: Acme }\n${rest}`)

it.each([
  ['country: XX', 'country: "XX" is no country: write the two letters of ISO 3166, like IL'],
  ['country: UK', 'country: "UK" is no country: write the two letters of ISO 3166, like IL'],
  ['users: [{ email: a@b, password: correct horse, role: owner }]', 'users[0].email: "a@b" is no email address'],
  ['senderDomains: [{ domain: acme }]', 'senderDomains[0].domain: "acme" is no domain that an email address can be in'],
  ['senderDomains: [{ domain: a.example }, { domain: "@b.example" }]', /^senderDomains\[1\].domain: "@b.example" is no domain/],
  ['senderAddresses: [{ email: hello }]', 'senderAddresses[0].email: "hello" is no email address'],
  ['senderAddresses: [{ email: "Acme <hello@acme.example>" }]', /^senderAddresses\[0\].email: .* is no email address$/],
])('%s is a mistake', (section, sentence) => {
  expect(() => parse(section)).toThrow(sentence)
})

it('blanks around an address, and capital letters, are none', () => {
  const file = parse('country: GB\nsenderDomains: [{ domain: Acme.Example }]\nsenderAddresses: [{ email: " Hello@Acme.Example " }]')
  expect(file.country).toBe('GB')
})
