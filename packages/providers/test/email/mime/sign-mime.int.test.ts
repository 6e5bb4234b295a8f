import { generateKeyPairSync } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { type DnsServer, startDnsServer } from '@tidings/testing/dns-server'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildMime } from '../../../src/email/mime/build-mime.ts'
import { signMime } from '../../../src/email/mime/sign-mime.ts'
import type { DkimKey, EmailMessage } from '../../../src/email/port.ts'
import { mail } from '../mail.fixture.ts'

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const key: DkimKey = { domain: 'acme.example', selector: 't20261123-a1b2c3', privateKey: pair.privateKey }
const long: EmailMessage = {
  ...mail,
  from: { email: 'hello@acme.example', name: 'Ünïted ☕ of a rather long name that has to be folded somewhere' },
  replyTo: 'answers@acme.example',
  subject: 'Votre reçu   avec des espaces',
  html: `<p>Merci, José  ☕ </p>\n\n.\n<p>${'x'.repeat(2_000)}</p>\n\n`,
  subscription: {
    unsubscribeUrl: 'https://mail.acme.example/u?t=abc',
    sentBy: { kind: 'campaign', id: '0192b1f0-0000-7000-8000-00000000000c' },
  },
}

let dns: DnsServer
beforeAll(async () => {
  dns = await startDnsServer()
  dns.texts.set('t20261123-a1b2c3._domainkey.acme.example', [`v=DKIM1; k=rsa; p=${pair.publicKey.toString('base64')}`])
})
afterAll(() => dns.close())

const options = { host: 'mail.acme.example', date: new Date('2026-11-21T10:00:00Z'), unsubscribeAddress: 'bounces+abc@acme.example' }
const signed = (changes: Partial<EmailMessage> = {}): string => signMime(buildMime({ ...long, ...changes }, options), key)

/** Verifies like a receiver: with another library, and the key from DNS. */
const verified = async (raw: string) => {
  const resolver = new Resolver({ timeout: 30_000 })
  resolver.setServers([dns.address])
  const { results } = await dkimVerify(Buffer.from(raw), { resolver: (name: string) => resolver.resolveTxt(name) })
  return results.map(({ status, signingDomain, selector }) => ({ result: status.result, signingDomain, selector }))
}
const PASS = [{ result: 'pass', signingDomain: 'acme.example', selector: 't20261123-a1b2c3' }]

describe('a signed mail', () => {
  it('is verified with the key that DNS shows', async () => {
    expect(await verified(signed())).toEqual(PASS)
  })

  it('is verified where its headers have letters beyond ASCII, and where it cannot be unsubscribed from', async () => {
    const { subscription: _, ...transactional } = long
    const raw = signMime(buildMime({ ...transactional, from: { email: 'grüße@acme.example', name: null } }, options), key)
    expect(await verified(raw)).toEqual(PASS)
  })

  it.each([
    ['subject', (raw: string) => raw.replace('Subject: ', 'Subject: Re: ')],
    ['sender', (raw: string) => raw.replace('hello@acme.example', 'eve@acme.example')],
    ['body', (raw: string) => raw.replace('Merci', 'Mercy')],
    ['address to unsubscribe at', (raw: string) => raw.replace('/u?t=abc', '/u?t=abd')],
    ['mailbox to unsubscribe at', (raw: string) => raw.replace('bounces+abc', 'bounces+abd')],
    ['list', (raw: string) => raw.replace('List-Id: <0192', 'List-Id: <0193')],
    ['sender in the reports of receivers', (raw: string) => raw.replace(':campaign:', ':template:')],
    ['date', (raw: string) => raw.replace('21 Nov 2026', '22 Nov 2026')],
  ])('whose %s was changed on its way is not', async (_, change) => {
    const raw = signed()
    expect(change(raw)).not.toBe(raw)
    expect(await verified(change(raw))).not.toEqual(PASS)
  })

  it('of a program cannot lose that it says so', async () => {
    const { subscription: _, ...transactional } = long
    const raw = signMime(buildMime(transactional, options), key)
    expect(await verified(raw)).toEqual(PASS)
    expect(await verified(raw.replace('auto-generated', 'no'))).not.toEqual(PASS)
  })

  it('is the same text at the same time', () => {
    expect(signed()).toBe(signed())
  })

  it('has its signature first, and is otherwise as it was', () => {
    const raw = buildMime(long, options)
    expect(signed().startsWith('DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=acme.example;')).toBe(true)
    expect(signed().endsWith(raw)).toBe(true)
  })
})
