import { type DnsServer, startDnsServer } from '@tidings/testing/dns-server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRecordLookups, type RecordLookups } from '../src/resolvers.ts'
import { isProved, listingsOf } from '../src/sender-domain-records.ts'

let dns: DnsServer
let lookups: RecordLookups
beforeEach(async () => {
  dns = await startDnsServer()
  lookups = createRecordLookups([dns.address], 10_000)
})
afterEach(() => dns.close())

const TOKEN = '5f0e7e3a7b524a3c9d5e0d3a6a6f0c01'

describe('a domain', () => {
  it('is proved by one of its records that is the token, blanks around it aside', async () => {
    dns.texts.set('_tidings.acme.example', ['other', ` ${TOKEN} `])
    expect(await isProved(lookups, 'acme.example', TOKEN)).toBe(true)
    expect(await isProved(lookups, 'acme.example', TOKEN.slice(1))).toBe(false)
  })

  it('is not proved by a name without the record, or without any', async () => {
    dns.texts.set('_tidings.bare.example', [])
    expect(await isProved(lookups, 'bare.example', TOKEN)).toBe(false)
    expect(await isProved(lookups, 'unknown.example', TOKEN)).toBe(false)
  })

  it('whose server says nothing is neither', async () => {
    dns.texts.set('_tidings.acme.example', null)
    expect(await isProved(lookups, 'acme.example', TOKEN)).toBeNull()
  })

  it('with letters beyond ASCII is asked by its ASCII form', async () => {
    dns.texts.set('_tidings.xn--mnchen-3ya.example', [TOKEN])
    expect(await isProved(lookups, 'münchen.example', TOKEN)).toBe(true)
  })
})

describe('a blocklist', () => {
  const listed = () => listingsOf(lookups, 'acme.example', ['dbl.example', 'uribl.example'])

  it('lists a domain by an address of 127.0.0.0/8', async () => {
    dns.answers.set('acme.example.uribl.example', ['127.0.0.2'])
    expect(await listed()).toEqual(['uribl.example'])
  })

  it.each(['127.255.255.254', '127.0.1.255', '203.0.113.9'])('that answers %s says nothing of the domain', async (address) => {
    dns.answers.set('acme.example.dbl.example', [address])
    expect(await listed()).toEqual([])
  })

  it('that lists every name, or a resolver that answers every name, is not believed', async () => {
    dns.answers.set('acme.example.dbl.example', ['127.0.1.2'])
    dns.answers.set('invalid.dbl.example', ['127.0.1.2'])
    expect(await listed()).toEqual([])
  })

  it('that does not answer lists nothing', async () => {
    dns.answers.set('acme.example.dbl.example', null)
    dns.answers.set('acme.example.uribl.example', ['127.0.0.2'])
    expect(await listed()).toEqual(['uribl.example'])
  })
})
