import { describe, expect, test } from 'vitest'
import { inOrder } from '../../src/list/in-order.ts'
import { listedAddresses } from '../../src/list/listed-addresses.ts'
import { providersNamed, relayHostsOf } from '../../src/open-provider.ts'
import { settingPattern } from '../../src/provider-kind.ts'
import { providerKinds } from '../../src/registry.ts'

const labelsOf = (channel: 'email' | 'sms' | 'voice', setting: string) => providersNamed(channel, setting).map(({ label }) => label)

test.each([
  ['email', 'outbox', ['outbox']],
  ['email', 'smtp://u:p@Relay.Example', ['relay.example:587']],
  ['email', 'smtps://u:p@relay.example', ['relay.example:465']],
  ['email', 'smtp://a.example:25,smtps://u:p@b.example', ['a.example:25', 'b.example:465']],
  ['email', 'smtp://a.example:25 ,  smtp://[::1]:2525', ['a.example:25', '[::1]:2525']],
  ['email', 'smtp://u:one%2Ctwo@a.example,smtp://b.example', ['a.example:587', 'b.example:587']],
  // A comma that no address follows is of the password, as it was before there were lists.
  ['email', 'smtp://u:one,two@a.example,smtp://b.example', ['a.example:587', 'b.example:587']],
  ['sms', 'twilio://AC1:t@api.twilio.com,smpp://u:p@smsc.example', ['api.twilio.com:443', 'smsc.example:2775']],
  ['sms', 'smpps://u:p@smsc.example?optout_status=0x400,0x401,smpp://u:p@b.example', ['smsc.example:3550', 'b.example:2775']],
  ['voice', 'twilio://AC1:t@a.example?protocol=http,twilio://AC2:u@b.example:8443', ['a.example:80', 'b.example:8443']],
] as const)('%s providers in %s are called %j', (channel, setting, labels) => {
  expect(setting).toMatch(new RegExp(settingPattern(providerKinds[channel], { several: true })))
  expect(labelsOf(channel, setting)).toEqual(labels)
})

test('each address is what stands between the commas', () => {
  const setting = 'smtp://u:a%2Cb@a.example:25?tls=optional, smtps://v:c@b.example'
  expect(providersNamed('email', setting).map(({ address }) => address)).toEqual([
    'smtp://u:a%2Cb@a.example:25?tls=optional',
    'smtps://v:c@b.example',
  ])
  expect(relayHostsOf(setting)).toEqual(['a.example', 'b.example'])
  expect(relayHostsOf('outbox')).toEqual([])
})

test.each([
  ['email', 'outbox,smtp://a.example'],
  ['email', 'smtp://u:hunter2@a.example,imap://b.example'],
  ['email', 'smtp://u:hunter2@a.example,twilio://AC1:t@b.example'],
  ['sms', 'outbox,twilio://AC1:hunter2@b.example'],
  ['voice', 'twilio://AC1:hunter2@b.example,smpp://u:p@c.example'],
] as const)('%s providers are not what %s says', (channel, setting) => {
  expect(setting).not.toMatch(new RegExp(settingPattern(providerKinds[channel], { several: true })))
  expect(() => labelsOf(channel, setting)).toThrow(/ provider must be "outbox", or an address that starts with [^@]*\.$/)
})

test('one address twice is refused, without its password', () => {
  const twice = () => labelsOf('email', 'smtp://u:hunter2@a.example,smtp://u:hunter2@a.example')
  expect(twice).toThrow('The email provider has one address twice.')
})

describe('several accounts of one host', () => {
  const [one, other] = ['twilio://AC1:hunter2@api.twilio.com', 'twilio://AC2:t@api.twilio.com']
  const labelIn = (setting: string, address: string) => providersNamed('sms', setting).find((named) => named.address === address)?.label

  test('have labels of their own, which no order and no other provider changes', () => {
    const label = labelIn(`${one},${other}`, one)
    expect(label).toMatch(/^api\.twilio\.com:443#[\da-f]{6}$/)
    for (const setting of [`${other},${one}`, `twilio://AC3:t@api.twilio.com,smpp://u:p@b.example,${other},${one}`])
      expect(labelIn(setting, one)).toBe(label)
    expect(new Set(labelsOf('sms', `${one},${other},smpp://u:p@b.example`)).size).toBe(3)
  })

  test('keep them with another password and other options', () => {
    const rotated = 'twilio://AC1:hunter3@api.twilio.com/?protocol=https'
    expect(labelIn(`${other},${rotated}`, rotated)).toBe(labelIn(`${one},${other}`, one))
  })

  test.each([
    ['gateways of one host', 'twilio://AC1:t@gateway.example/one,twilio://AC1:t@gateway.example/two'],
    ['keys of one account', 'twilio://AC1:t@gateway.example,twilio://AC1:u@gateway.example,twilio://AC1:v@gateway.example'],
  ])('have labels of their own where they are %s, too', (_, setting) => {
    const labels = labelsOf('sms', setting)
    expect(new Set(labels).size).toBe(labels.length)
  })

  const WAYS = { alone: one, first: `${one},${other}`, last: `${other},${one}` }
  const SETTINGS = Object.values(WAYS)
  test('are found again by the name that another setting gave them', async () => {
    for (const [before, after] of SETTINGS.flatMap((from) => SETTINGS.map((to) => [from, to] as const))) {
      // One that stood alone was called by its host: of several there the first counts.
      if (before === WAYS.alone && after === WAYS.last) continue
      const name = labelIn(before, one) ?? ''
      const called: string[] = []
      const all = inOrder(
        listedAddresses(providerKinds.sms, after, { what: '', must: '' }).map(({ address, label, otherNames }) => ({
          ...{ label, otherNames, callMs: 1, outage: () => null, close: async () => undefined },
          call: async () => {
            called.push(address)
            return { providerMessageId: 'taken' }
          },
        })),
      )
      const options = { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional', boundTo: name } as const
      await all.call('m', options)
      expect(called).toEqual([one])
    }
  })
})
