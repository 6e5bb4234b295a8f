import { createRecordLookups, type RecordLookups } from '@tidings/outbound-http'
import { type DnsServer, startDnsServer } from '@tidings/testing/dns-server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkDomain } from '../../src/doctor/senders.ts'

let dns: DnsServer
let lookups: RecordLookups
beforeEach(async () => {
  dns = await startDnsServer()
  lookups = createRecordLookups([dns.address], 60_000)
})
afterEach(() => dns.close())

const sending = { slug: 'acme', domain: 'mail.acme.example', signs: null }
const check = (signs: { selector: string; publicKey: string } | null = null) =>
  checkDomain(lookups, { ...sending, signs }, ['relay.example'])

describe('a sender domain', () => {
  it('without records works, and the line says what to publish', async () => {
    expect(await check()).toEqual({
      check: 'sender domain mail.acme.example of acme',
      ok: true,
      said: 'no SPF; DKIM is left to the relay; no DMARC.',
      mend:
        'Publish mail.acme.example TXT "v=spf1 a:relay.example ~all", or what your relay says. ' +
        'Publish _dmarc.mail.acme.example TXT "v=DMARC1; p=none; rua=mailto:postmaster@mail.acme.example", ' +
        'and a stricter policy when the reports look right.',
    })
  })

  it('with records shows them; the policy of the domain above it holds', async () => {
    dns.texts.set('mail.acme.example', ['v=spf1 include:relay.example -all', 'v=spf10 is something else'])
    dns.texts.set('_dmarc.acme.example', ['v=DMARC1; p=reject'])
    const { ok, said, mend } = await check()
    expect({ ok, mend }).toEqual({ ok: true, mend: undefined })
    expect(said).toBe('SPF is "v=spf1 include:relay.example -all"; DKIM is left to the relay; DMARC is "v=DMARC1; p=reject".')
  })

  it.each([
    [['127.0.0.1'], 'include:<your relay’s name>'],
    [['localhost', '10.1.2.3', '[::1]'], 'include:<your relay’s name>'],
    [['127.0.0.1', 'relay.example'], 'a:relay.example'],
    [['8.8.8.8', '2606:4700::1111'], 'ip4:8.8.8.8 ip6:2606:4700::1111'],
  ])('without SPF behind %j is shown what to publish: %s', async (relays, terms) => {
    expect((await checkDomain(lookups, sending, relays)).mend).toContain(`TXT "v=spf1 ${terms} ~all"`)
  })

  it.each([
    ['v=spf1 a:127.0.0.1 ~all', '"a:127.0.0.1" lets no server through, and 127.0.0.1 is none that a receiver sees'],
    ['v=spf1 +a:8.8.8.8/32 -all', '"+a:8.8.8.8/32" lets no server through, since it asks for a name: write ip4:8.8.8.8.'],
    ['v=spf1 mx:[2606:4700::1111] -all', 'since it asks for a name: write ip6:2606:4700::1111.'],
  ])('with %s is shown what is wrong with it', async (record, said) => {
    dns.texts.set('mail.acme.example', [record])
    expect((await check()).mend).toContain(said)
  })

  it.each(['v=spf1 ip4:8.8.8.8 -all', 'v=spf1 a mx a:relay.example mx:8.example ~all'])('with %s is left as it is', async (record) => {
    dns.texts.set('mail.acme.example', [record])
    expect((await check()).mend).not.toContain('lets no server through')
  })

  it('with two SPF records has none', async () => {
    dns.texts.set('mail.acme.example', ['v=spf1 -all', 'v=spf1 ~all'])
    expect((await check()).said).toMatch(/^SPF is there twice/)
  })

  it('whose signatures cannot be verified fails the check, until DNS shows the key', async () => {
    const signs = { selector: 's1', publicKey: 'MIIBIjANBg' }
    const failed = await check(signs)
    expect(failed).toMatchObject({
      ok: false,
      mend: expect.stringContaining('s1._domainkey.mail.acme.example TXT "v=DKIM1; k=rsa; p=MIIBIjANBg"'),
    })
    dns.texts.set('s1._domainkey.mail.acme.example', ['v=DKIM1; k=rsa; p=MIIB IjANBg'])
    expect(await check(signs)).toMatchObject({ ok: true, said: expect.stringContaining('DNS shows its key') })
  })

  it('of a stranger puts no control character on the terminal', async () => {
    dns.texts.set('mail.acme.example', ['v=spf1 \u001b[2J'])
    expect((await check()).said).toContain('"v=spf1 ?[2J"')
  })
})
