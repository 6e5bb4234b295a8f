import type { SenderAddressStatus, SenderDomainStatus, Senders, SmsSenderStatus } from '@tidings/contracts'
import type { DnsServer } from '@tidings/testing/dns-server'
import { describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { storedEvents } from '../support/stored-log.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; dns: DnsServer; session: (slug: string) => Promise<Readonly<{ client: Client; admin: Session }>> }>

/** What the screen of senders asks for, by an admin of a workspace of its own for each case. */
export function senderCases(doors: () => Doors): void {
  const add = async (admin: Session, domain: string) =>
    dataOf<SenderDomainStatus>(await admin.call('POST /dashboard/senders/domains', { body: { domain } }), 201)
  const check = (admin: Session, domain: string) => admin.call(`POST /dashboard/senders/domains/${encodeURIComponent(domain)}/check`)
  const all = async (admin: Session) => dataOf<Senders>(await admin.call('GET /dashboard/senders'), 200)
  const stored = async () => (await storedEvents(doors().world.stores.store)).length

  describe('a sender domain', () => {
    it('is added in any spelling, once, and never by a word about it', async () => {
      const { admin } = await doors().session('senders-names')
      expect(await add(admin, ' BÜCHER.example. ')).toMatchObject({ domain: 'bücher.example', verified: false, by: 'dns', checkedAt: null })
      const before = await stored()
      const refused = (domain: string) => admin.call('POST /dashboard/senders/domains', { body: { domain } })
      for (const same of ['xn--bcher-kva.example', 'bu\u0308cher.example', 'bücher。example'])
        expect(outcome(await refused(same))).toEqual(coded(409, 'sender_domain_exists'))
      // The operator vouches for this one: to add it anew would take the word back.
      expect(outcome(await refused('senders-names.example'))).toEqual(coded(409, 'sender_domain_exists'))
      const wrong = [
        'hello@shop.example',
        'https://shop.example',
        'shop.example/path',
        'localhost',
        '10.0.0.1',
        'shop example.com',
        '‮shop.example',
      ]
      for (const domain of wrong) expect(outcome(await refused(domain))).toEqual(coded(400, 'sender_domain_invalid'))
      expect((await admin.call('POST /dashboard/senders/domains', { body: { domain: 'x.example', verified: true } })).status).toBe(400)
      expect(await stored()).toBe(before)
    })

    it('is checked now: what it proves, what was found instead, and who has no say', async () => {
      const { dns } = doors()
      const { admin } = await doors().session('senders-check')
      const { records } = await add(admin, 'check.example')
      const [proof] = records
      dns.texts.set('_tidings.check.example', ['\u001b[31mwrong'])
      dns.texts.set('check.example', ['v=spf1 -all', 'another=1'])
      const first = dataOf<SenderDomainStatus>(await check(admin, 'CHECK.example'), 200)
      expect(first).toMatchObject({ verified: false, checkedAt: expect.any(String) })
      expect(first.records.map(({ kind, state, found }) => [kind, state, found])).toEqual([
        ['proof', 'different', ['?[31mwrong']],
        ['spf', 'found', ['v=spf1 -all']],
        ['dmarc', 'absent', []],
      ])
      dns.texts.set('_tidings.check.example', [proof?.value ?? ''])
      expect(dataOf<SenderDomainStatus>(await check(admin, 'check.example'), 200)).toMatchObject({ verified: true, proof: 'found' })
      expect((await all(admin)).domains.find(({ domain }) => domain === 'check.example')?.records[0]?.state).toBe('found')
      expect(outcome(await check(admin, 'other.example'))).toEqual(uncoded(404, 'Sender domain not found'))
    })

    it('of a silent name server is answered all the same, and a workspace asks only so often', async () => {
      const { dns } = doors()
      const { admin } = await doors().session('senders-silent')
      await add(admin, 'silent.example')
      dns.texts.set('_tidings.silent.example', null)
      expect(outcome(await check(admin, 'silent.example'))).toEqual(coded(503, 'dns_unanswered'))
      const more = await Promise.all(Array.from({ length: 6 }, () => check(admin, 'senders-silent.example')))
      expect(more.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 429])
      expect(outcome(await check(admin, 'silent.example'))).toEqual(coded(429, 'dns_asked_too_often'))
    })

    it('signs with a key from when DNS shows it, for a caller who saw the keys as they are', async () => {
      const { dns } = doors()
      const { admin } = await doors().session('senders-dkim')
      const { etag } = await add(admin, 'dkim.example')
      const path = '/dashboard/senders/domains/dkim.example'
      const make = (tag: string) => admin.call(`POST ${path}/keys`, { headers: { 'If-Match': `"${tag}"` } })
      expect(outcome(await admin.call(`POST ${path}/keys`))).toEqual(coded(428, 'if_match_required'))
      const made = dataOf<SenderDomainStatus>(await make(etag), 201)
      expect(outcome(await make(etag))).toEqual(coded(409, 'changed_meanwhile'))
      const key = made.records.find(({ kind }) => kind === 'dkim')
      const choose = (selector: string | null, tag = made.etag) =>
        admin.call(`PUT ${path}/dkim`, { body: { selector }, headers: { 'If-Match': `"${tag}"` } })
      expect(outcome(await choose('none'))).toEqual(uncoded(404, 'DKIM key not found'))
      expect(outcome(await choose(key?.selector ?? ''))).toEqual(coded(409, 'dkim_key_not_published'))
      dns.texts.set(key?.name.toLowerCase() ?? '', [key?.value ?? ''])
      const signs = dataOf<SenderDomainStatus>(await choose(key?.selector ?? ''), 200)
      expect(signs.signedUnder).toBe(key?.selector)
      expect(dataOf<SenderDomainStatus>(await choose(null, signs.etag), 200).signedUnder).toBeNull()
      expect(JSON.stringify(await all(admin))).not.toContain('PRIVATE KEY')
    })
  })

  it('a sender address is asked to confirm, three times a day, and is never verified by who adds it', async () => {
    const { client, admin } = await doors().session('senders-mail')
    const post = (body: object) => admin.call('POST /dashboard/senders/addresses', { body })
    const added = dataOf<SenderAddressStatus>(await post({ email: 'News@senders-mail.example', name: 'News \u202eevil' }), 201)
    expect(added).toMatchObject({ email: 'news@senders-mail.example', status: 'pending', confirmBy: expect.any(String) })
    expect(outcome(await post({ email: 'NEWS@senders-mail.example' }))).toEqual(coded(409, 'sender_address_exists'))
    expect(outcome(await post({ email: 'hello@senders-mail.example' }))).toEqual(coded(409, 'sender_address_exists'))
    expect(outcome(await post({ email: 'a@elsewhere.example' }))).toEqual(coded(400, 'sender_domain_needed'))
    expect(outcome(await post({ email: 'senders-mail.example' }))).toEqual(uncoded(400, 'email must be an email'))
    const ask = (id: string) => admin.call(`POST /dashboard/senders/addresses/${id}/ask`)
    expect([(await ask(added.id)).status, (await ask(added.id)).status]).toEqual([200, 200])
    expect(outcome(await ask(added.id))).toEqual(coded(429, 'sender_confirmation_capped'))
    const { addresses } = await all(admin)
    const verified = addresses.find(({ email }) => email === 'hello@senders-mail.example')
    expect(outcome(await ask(verified?.id ?? ''))).toEqual(coded(409, 'sender_address_verified'))
    const usable = await client.request('GET', '/public/sender-addresses')
    expect(JSON.stringify(usable.body)).not.toContain('news@')
  })

  it('an SMS sender ID is asked for, and neither approved nor taken from others', async () => {
    const { world } = doors()
    const { admin } = await doors().session('senders-sms')
    await world.workspace('senders-number', 'smsSenderIds: [{ id: SHOPTEL, number: "+97250111000", status: approved }]')
    const post = (id: string) => admin.call('POST /dashboard/senders/sms', { body: { id } })
    expect(dataOf<SmsSenderStatus>(await post(' Acme '), 201)).toEqual({ id: 'Acme', status: 'pending', reason: null, number: null })
    expect(outcome(await post('ACME'))).toEqual(coded(409, 'sender_id_exists'))
    expect(outcome(await post('Shop'))).toEqual(coded(400, 'sender_id_reserved'))
    for (const id of ['Ａcme', 'a\u202eb', '"x"', '-'.repeat(12)]) expect((await post(id)).status).toBe(400)
    expect(outcome(await post('97250111000'))).toEqual(coded(409, 'sender_number_taken'))
    expect((await all(admin)).smsSenders).toEqual([{ id: 'Acme', status: 'pending', reason: null, number: null }])
  })
}
