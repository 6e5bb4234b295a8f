import { expect, it } from 'vitest'
import { parseWorkspaceFile } from '../../src/workspace-file/parse.ts'

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

it.each([
  ['senderDomains: [{ domain: bücher.example }, { domain: XN--BCHER-KVA.example }]', 'senderDomains[1] repeats'],
  ['senderAddresses: [{ email: a@bücher.example }, { email: "a@bu\u0308cher。example" }]', 'senderAddresses[1] repeats'],
  ['senderDomains: [{ domain: xn--a.example }]', 'senderDomains[0].domain: "xn--a.example" is no domain'],
  ['tags: [{ name: "caf\u00e9" }, { name: "cafe\u0301" }]', 'tags[1] repeats'],
  ['lists: [{ name: "caf\u00e9", type: static }, { name: "cafe\u0301", type: static }]', 'lists[1] repeats'],
])('%s is a mistake', (section, sentence) => {
  expect(() => parse(section)).toThrow(sentence)
})

it('names are in NFC, and content is as it was written', () => {
  const file = parse(`lists: [{ name: "cafe\u0301", type: static }]
templates: [{ name: "cafe\u0301", channel: email, subject: "cafe\u0301", html: "cafe\u0301" }]
campaigns: [{ name: "cafe\u0301", channel: email, list: "cafe\u0301", tags: ["cafe\u0301"] }]
smsReplies: { help: "cafe\u0301" }`)
  expect(file.lists?.[0]?.name).toBe('caf\u00e9')
  expect(file.templates?.[0]).toMatchObject({ name: 'caf\u00e9', subject: 'cafe\u0301', html: 'cafe\u0301' })
  expect(file.campaigns?.[0]).toMatchObject({ name: 'caf\u00e9', list: 'caf\u00e9', tags: ['caf\u00e9'] })
  expect(file.smsReplies?.help).toBe('cafe\u0301')
})
