import { expect, it } from 'vitest'
import { loadConfig } from '../src/load-config.ts'
import { withoutSecrets } from '../src/without-secrets.ts'

const KEY = 'ab'.repeat(32)
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const cleaned = (settings: Readonly<Record<string, string>>, text: string): string => withoutSecrets(loadConfig(settings, null))(text)

it('takes out the secrets and the passwords of addresses, as they are written and as they are meant, and no other word', () => {
  const settings = {
    TIDINGS_DATABASE_URL: 'postgres://tidings:one%2Ftwo@db.example/tidings',
    TIDINGS_READ_DATABASE_URL: 'postgres://tidings:three@one.example/t,postgres://four@two.example/t',
    TIDINGS_MASTER_KEY: KEY,
    TIDINGS_EMAIL_PROVIDER: 'smtp://relay:five%ZZ@relay.example:587',
    TIDINGS_KAFKA_SASL: 'plain:tidings:six:seven',
  }
  expect(cleaned(settings, `${KEY} one%2Ftwo one/two three four five%ZZ six:seven tidings threefold`)).toBe(
    '[redacted] [redacted] [redacted] [redacted] four [redacted] [redacted] tidings threefold',
  )
  expect(cleaned({}, 'outbox info postgres')).toBe('outbox info postgres')
})

it('takes them out in each form in which a server may quote them', () => {
  const settings = {
    TIDINGS_EMAIL_PROVIDER: 'smtp://me@mail.example:pa@ss-"wörd"@relay.example,smtp://a-token-of-some-length@two.example',
    TIDINGS_DATABASE_URL: 'postgres://db.example/tidings?user=t&password=query%20secret',
  }
  const secret = 'pa@ss-"wörd"'
  const quoted = [
    ...[secret, encodeURIComponent(secret), JSON.stringify(secret)],
    ...[secret, `me@mail.example:${secret}`, `\0me@mail.example\0${secret}`].map(base64),
    ...['a-token-of-some-length', 'query secret', 'query%20secret'],
  ]
  const text = cleaned(settings, quoted.join('\n'))
  expect(text.replaceAll(/[\s"=]/g, '')).toBe('[redacted]'.repeat(quoted.length))
})

it('leaves a text whole that only has the letters of a short password inside its words', () => {
  const settings = { TIDINGS_DATABASE_URL: 'postgres://tidings:e@db.example/t' }
  expect(cleaned(settings, 'redacted: see tidings:e@db.example')).toBe('redacted: see tidings:[redacted]@db.example')
})
