import { awkward, awkwardEmail, awkwardNumber } from '@tidings/addresses/testing'
import fc from 'fast-check'

type Target = Readonly<{ url: string; key: string }>
type Request = Readonly<{ method: string; path: string; body?: unknown }>

const AT_ONCE = 8
const UNKNOWN = '00000000-0000-7000-8000-000000000000'

const text = awkward(40)
const json = fc.oneof(text, fc.constant(null), fc.boolean(), fc.integer())
const properties = fc.dictionary(text, json, { maxKeys: 4 })
const query = (name: string, value: string): string => `?${name}=${encodeURIComponent(value.toWellFormed())}`

const person = fc.record(
  {
    email: awkwardEmail,
    phone: awkwardNumber,
    firstName: text,
    lastName: text,
    locale: awkward(10),
    tags: fc.array(text, { maxLength: 3 }),
    customProperties: properties,
    notes: text,
  },
  { requiredKeys: [] },
)

const post = (path: string, body: fc.Arbitrary<unknown>, method = 'POST'): fc.Arbitrary<Request> =>
  body.map((one) => ({ method, path, body: one }))

/** A request to each route that takes an address, a number, a name or what is searched for. */
const request: fc.Arbitrary<Request> = fc.oneof(
  post('/public/profiles', person),
  post('/public/profiles', person, 'PUT'),
  post('/public/profiles', fc.record({ email: awkwardEmail, newEmail: awkwardEmail, city: text }, { requiredKeys: ['email'] }), 'PATCH'),
  post('/public/profiles/blacklist', fc.record({ email: awkwardEmail, channel: fc.constantFrom('email', 'sms', 'both') })),
  post('/public/profiles/blacklist', fc.record({ email: awkwardEmail, channel: fc.constant('both') }), 'DELETE'),
  awkwardEmail.map((email) => ({ method: 'GET', path: `/public/profiles/lookup${query('email', email)}` })),
  fc.oneof(text, awkwardEmail, awkwardNumber).map((sought) => ({ method: 'GET', path: `/public/profiles${query('search', sought)}` })),
  text.map((sought) => ({ method: 'GET', path: `/public/campaigns${query('search', sought)}` })),
  post(`/public/lists/${UNKNOWN}/members`, fc.record({ emails: fc.array(awkwardEmail, { maxLength: 3 }) })),
  post(
    '/public/messages/email',
    fc.record(
      { to: awkwardEmail, fromEmail: awkwardEmail, replyTo: awkwardEmail, subject: text, html: text, fromName: text },
      { requiredKeys: ['to'] },
    ),
  ),
  post(
    '/public/messages/email',
    fc.record({ to: awkwardEmail, fromEmail: fc.constant('hello@demo.example'), subject: text, html: text, templateFields: properties }),
  ),
  post('/public/messages/sms', fc.record({ to: awkwardNumber, senderId: fc.oneof(fc.constant('DEMO'), awkward(11)), body: text })),
  post(
    '/otp/send',
    fc.record({ phone: awkwardNumber, channel: fc.constantFrom('sms', 'voice'), message: text }, { requiredKeys: ['phone'] }),
  ),
  post(
    '/events/ingest',
    fc.record({ event: awkward(20), email: awkwardEmail, phone: awkwardNumber, properties }, { requiredKeys: ['event'] }),
  ),
  post(
    '/forms/subscribe',
    fc.record({ email: awkwardEmail, phone: awkwardNumber, formId: text, fields: properties }, { requiredKeys: ['email'] }),
  ),
  post('/public/tags', fc.record({ name: awkward(60) })),
)

/** Sends `count` requests whose addresses, numbers and names are of Unicode's awkward parts, each the same for the same seed. */
export async function runSpellings({ url, key }: Target, { seed, count }: Readonly<{ seed: number; count: number }>): Promise<void> {
  const requests = fc.sample(request, { seed, numRuns: count })
  const headers = { 'X-Sender-Tenant': 'demo', 'X-API-Key': key, Origin: 'https://shop.example' }
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
      const { method, path, body } = next
      const json = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const init = { method, headers: { ...headers, ...json }, ...(body !== undefined && { body: JSON.stringify(body) }) }
      await (await fetch(`${url}/api/v1${path}`, init)).arrayBuffer()
    }
  })
  await Promise.all(workers)
}
