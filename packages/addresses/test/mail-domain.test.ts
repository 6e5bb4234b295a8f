import { expect, it } from 'vitest'
import { mailDomainOf } from '../src/email.ts'

it.each([
  ['ada@example.com', 'example.com'],
  ['x17@a1.mail.victim.example', 'victim.example'],
  ['ada@news.shop.co.uk', 'shop.co.uk'],
  ['ada@shop.co.il', 'shop.co.il'],
  ['ada@one.github.io', 'one.github.io'],
  ['ada@MÜLLER.example', 'xn--mller-kva.example'],
  ['"a@b"@shop.example', 'shop.example'],
])('mail to %s arrives with the owner of %s', (address, domain) => {
  expect(mailDomainOf(address)).toBe(domain)
})
