import type { FoundTexts } from '@tidings/administration'
import { describe, expect, it } from 'vitest'
import { dnsRecords } from '../../src/senders/dns-records.ts'

const NAME = '_tidings.xn--bcher-kva.example'
const proof = { name: NAME, type: 'TXT', value: 'a1b2' } as const
const dkim = { active: 'old', keys: { older: 'AAA', old: 'BBB', new: 'CCC' } }
const recordsOf = (found: FoundTexts | null, relays: readonly string[] = ['relay.example']) =>
  dnsRecords({ domain: 'bücher.example', proof, dkim, relays, found })
const judgedOf = (found: FoundTexts, kind: string) =>
  recordsOf(found)
    .filter((record) => record.kind === kind)
    .map(({ state, found: texts, advice }) => ({ state, found: texts, advice }))

describe('the records of a domain', () => {
  it('are named in ASCII; of its DKIM keys, the one that signs and the newest', () => {
    expect(recordsOf(null).map(({ name, value, state }) => [name, value, state])).toEqual([
      [NAME, 'a1b2', 'unasked'],
      ['xn--bcher-kva.example', 'v=spf1 a:relay.example ~all', 'unasked'],
      ['old._domainkey.xn--bcher-kva.example', 'v=DKIM1; k=rsa; p=BBB', 'unasked'],
      ['new._domainkey.xn--bcher-kva.example', 'v=DKIM1; k=rsa; p=CCC', 'unasked'],
      ['_dmarc.xn--bcher-kva.example', 'v=DMARC1; p=none; rua=mailto:postmaster@xn--bcher-kva.example', 'unasked'],
    ])
  })

  it('have no SPF to publish where the relay is reached from this machine alone', () => {
    expect(recordsOf(null, ['127.0.0.1']).find(({ kind }) => kind === 'spf')?.value).toBeNull()
  })

  it.each([
    [null, { state: 'unanswered', found: [] }],
    [[], { state: 'absent', found: [] }],
    [['of another workspace', ' a1b2 '], { state: 'found', found: [] }],
    [['a1b2c'], { state: 'different', found: ['a1b2c'] }],
  ])('prove it by the token among %j', (texts, expected) => {
    expect(judgedOf({ [NAME]: texts }, 'proof')).toEqual([{ ...expected, advice: null }])
  })

  it.each([
    [['google-site=1', 'v=spf1 -all'], 'found', ['v=spf1 -all'], null],
    [['google-site=1'], 'absent', [], null],
    [['v=spf1 -all', 'v=spf1 ~all'], 'different', ['v=spf1 -all', 'v=spf1 ~all'], /twice/],
    [['v=spf1 a:8.8.8.8 -all'], 'different', ['v=spf1 a:8.8.8.8 -all'], /write ip4:8\.8\.8\.8/],
  ])('say of SPF %j: %s', (texts, state, found, advice) => {
    const expected = advice === null ? null : expect.stringMatching(advice)
    expect(judgedOf({ 'xn--bcher-kva.example': texts }, 'spf')).toEqual([{ state, found, advice: expected }])
  })

  it('show a key whatever its blanks, and the policy of the domain above', () => {
    const texts = { 'old._domainkey.xn--bcher-kva.example': ['v=DKIM1; k=rsa; p=B BB'], 'new._domainkey.xn--bcher-kva.example': [] }
    expect(judgedOf(texts, 'dkim').map(({ state }) => state)).toEqual(['found', 'absent'])
    const above = dnsRecords({
      ...{ domain: 'mail.acme.example', proof: null, dkim: { active: null, keys: {} }, relays: [] },
      found: { '_dmarc.mail.acme.example': [], '_dmarc.acme.example': ['v=DMARC1; p=reject'] },
    })
    expect(above.map(({ kind, state, found }) => [kind, state, found])).toEqual([
      ['spf', 'unasked', []],
      ['dmarc', 'found', ['v=DMARC1; p=reject']],
    ])
  })
})
