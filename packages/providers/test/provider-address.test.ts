import { describe, expect, test } from 'vitest'
import { tryProvider } from '../src/open-provider.ts'
import { providerKinds } from '../src/registry.ts'
import { smscAddress } from '../src/smpp/settings.ts'
import { relayAddress } from '../src/smtp/session.ts'
import { smtp } from '../src/smtp/smtp.ts'

/** The one sentence that refuses an address. It has nothing of the user, the password and the host. */
const refusalOf = (read: () => unknown): string => {
  const { message } = (() => {
    try {
      read()
      return new Error('it is taken')
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  })()
  expect(message).toMatch(/^The (?:email|SMS) provider(?:'s)? [^\n]*\.$/)
  expect(message).not.toMatch(/s3cret|shop|12\b|elsewhere/)
  return message
}

describe('the address of a relay', () => {
  test.each([
    ['smtp://shop:s3cret%@elsewhere', 'percent-encoded'],
    ['smtp://shop:s3%cret@elsewhere', 'percent-encoded'],
    ['smtp://sh%op:s3cret@elsewhere', 'percent-encoded'],
    ['smtp:///elsewhere', 'no host'],
    ['smtp://?tls=off', 'no host'],
    ['smtp://shop:s3cret@', 'no address'],
    ['smtp://elsewhere:99999', 'no address'],
    ['smtp://shop:12/s3cret@elsewhere', 'written as %2F'],
    ['smtp://shop:12#s3cret@elsewhere', 'written as %2F'],
    ['smtp://shop:12?s3cret@elsewhere', 'unknown setting'],
    ['smtp://elsewhere/INBOX', 'written as %2F'],
    ['smtp://elsewhere?tsl=required', 'takes tls, verify and name'],
    ['smtp://elsewhere?TLS=required', 'unknown setting'],
    ['smtp://elsewhere?tls=off&tls=required', 'twice'],
    ['smtp://elsewhere?tls=Required', 'unknown tls'],
    ['smtp://elsewhere?verify=false', 'unknown verify'],
    ['smtp://elsewhere?verify=OFF', 'unknown verify'],
    ['smtp://elsewhere?verify=', 'unknown verify'],
    ['smtp://:s3cret@elsewhere', 'no user'],
    ['smtp://elsewhere?name=a%0D%0AQUIT', 'no host name'],
    ['smtp://elsewhere?name=', 'no host name'],
  ])('%s cannot be used, and one sentence says why', (address, why) => {
    expect(refusalOf(() => relayAddress(address))).toContain(why)
  })

  test.each([
    ['smtp://relay.example', { host: 'relay.example', port: 587, credentials: null, tls: 'optional', verify: true, name: null }],
    ['smtps://relay.example/', { port: 465, secure: true }],
    ['smtp://shop@relay.example', { credentials: { user: 'shop', pass: '' }, tls: 'required' }],
    ['smtp://a%40b:%2F%3F%23%25%3A@[::1]:25', { host: '::1', port: 25, credentials: { user: 'a@b', pass: '/?#%:' }, tls: 'optional' }],
    ['smtp://relay.example?name=mta-1.example&verify=off&tls=required', { name: 'mta-1.example', verify: false, tls: 'required' }],
  ])('%s is read', (address, read) => {
    expect(relayAddress(address)).toMatchObject(read)
  })

  test('names the host that SPF has to name, and none where it cannot be read', () => {
    expect(smtp.relayHost('smtp://u:p@relay.example:25')).toBe('relay.example')
    expect(smtp.relayHost('smtps://[::1]')).toBe('::1')
    expect(smtp.relayHost('smtp://relay:99999')).toBeNull()
  })
})

describe('the address of an SMSC', () => {
  test.each([
    ['smpp://shop:s3cret%@elsewhere', 'percent-encoded'],
    ['smpp://elsewhere', 'needs a user'],
    ['smpp:///elsewhere', 'no host'],
    ['smpp://shop:12/s3cret@elsewhere', 'written as %2F'],
    ['smpp://shop:s3cret@elsewhere?windw=1', 'unknown setting'],
    ['smpp://shop:s3cret@elsewhere?window=1&window=2', 'twice'],
    ['smpps://shop:s3cret@elsewhere?verify=no', 'unknown verify'],
    ['smpp://shop:s3cret@elsewhere?window=0', 'from 1 to 1000'],
    ['smpp://shop:s3cret@elsewhere?country=Israel', 'two letters'],
  ])('%s cannot be used, and one sentence says why', (address, why) => {
    expect(refusalOf(() => smscAddress(address))).toContain(why)
  })

  test('is read with all that it may say', () => {
    const options = 'window=3&enquire=7&country=il&system_type=VMA&verify=off&optout_status=0x410,9&optout_err=088'
    expect(smscAddress(`smpps://shop:s%3Acret@[2001:db8::1]?${options}`)).toEqual({
      ...{ host: '2001:db8::1', port: 3550, tls: true, verify: false, systemId: 'shop', password: 's:cret', systemType: 'VMA' },
      ...{ window: 3, enquireMs: 7_000, country: 'IL', optOut: { statuses: [0x410, 9], errors: ['088'] } },
    })
  })
})

describe('whatever provider an address names,', () => {
  const HOSTILE = ['u:s3cret%@h', 'u:s3cret@h?odd=1', 'u:12/s3cret@h', 'u:12#s3cret@h', 'u:s3cret@', '/s3cret', 'u:s3cret@h:99999']
  const schemes = (['email', 'sms', 'voice'] as const).flatMap((channel) =>
    providerKinds[channel].flatMap(({ begins }) =>
      begins.filter((start) => start.endsWith('://')).map((start) => [channel, start] as const),
    ),
  )

  test.each(schemes)(
    'its try refuses a broken address of %s that begins with %s in one sentence, which has no secret',
    async (channel, start) => {
      for (const end of HOSTILE) {
        const error: unknown = await tryProvider(channel, { provider: `${start}${end}`, callMs: 100 }).catch((refused: unknown) => refused)
        expect(error, `${start}${end}`).toMatchObject({ message: expect.stringMatching(/^The (?:email|SMS|voice) provider [^\n]*\.$/) })
        expect(String(error)).not.toMatch(/s3cret|\bu\b/)
      }
    },
  )
})
