import { SHOP } from './forms.ts'
import { codeIn, lastTo, type OtpSent, passcodesOf, wrongFor } from './passcodes.ts'
import { type CaseContext, PASSWORD, type Prepare, type Prepared, people, SECRET, type Values } from './prepared-request.ts'
import { blocking, byEmail, otherProfile, profile } from './profile-bodies.ts'
import { signIn } from './users.ts'

const UNKNOWN = '00000000-0000-7000-8000-000000000000'

const templates = ({ client: { applied }, name }: CaseContext, one: string, other: string) => [
  name('one template', applied.templates[one] ?? ''),
  name('another template', applied.templates[other] ?? ''),
]

const from = { fromEmail: 'hello@every-body.example', fromName: 'Shop', replyTo: 'help@every-body.example' }
const otherFrom = { fromEmail: 'second@every-body.example', fromName: 'Other shop', replyTo: 'other@every-body.example' }

const sendEmail: readonly Prepare[] = [
  () => ({
    body: { to: 'ada.#@example.com', ...from, contentMode: 'manual', subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
    others: { to: 'bob.#@example.com', ...otherFrom, contentMode: 'template', subject: 'Bye', html: '<p>Bye</p>', text: 'Bye' },
    refused: ['contentMode'],
  }),
  async (place) => {
    const { ada, bob } = await people(place)
    const [templateId, other] = templates(place, 'mail', 'mail2')
    return {
      body: { contactId: ada, ...from, contentMode: 'template', templateId, templateFields: { word: 'tea' } },
      others: { contactId: bob, ...otherFrom, contentMode: 'manual', templateId: other, templateFields: { word: 'coffee' } },
      refused: ['contentMode'],
    }
  },
]

const sendSms: readonly Prepare[] = [
  () => ({
    body: { to: '+97253#', senderId: 'Acme', contentMode: 'manual', body: 'Hi' },
    others: { to: '+97254#', senderId: 'Second', contentMode: 'template', body: 'Bye' },
    refused: ['contentMode'],
  }),
  async (place) => {
    const { ada, bob } = await people(place)
    const [templateId, other] = templates(place, 'text', 'text2')
    return {
      body: { contactId: ada, senderId: 'Acme', contentMode: 'template', templateId, templateFields: { word: 'tea' } },
      others: { contactId: bob, senderId: 'Second', contentMode: 'manual', templateId: other, templateFields: { word: 'coffee' } },
      refused: ['contentMode'],
    }
  },
]

const sendOtp: Prepare = ({ client, n }) => {
  const outbox = async (channel: 'sms' | 'voice', to: string) => {
    const { from, body } = await lastTo(client, channel, to).catch(() => ({ from: null, body: '' }))
    return { channel, from, body: body.replaceAll(/\d/g, '0') }
  }
  return {
    body: { phone: '+97253#', channel: 'sms', message: 'Yours is {{code}}', senderId: 'Acme' },
    others: { phone: '+97254#', channel: 'voice', message: 'It is {{code}}', senderId: 'Second' },
    look: () => Promise.all([outbox('sms', `+97253${n}`), outbox('voice', `+97253${n}`), outbox('sms', `+97254${n}`)]),
  }
}

const verifyOtp: Prepare = async ({ client, n, name }) => {
  const phone = `+97253${n}`
  const { verificationId }: OtpSent = await passcodesOf(client).send(phone)
  const code = codeIn((await lastTo(client, 'sms', phone)).body)
  return {
    body: { verificationId: name('verification', verificationId), code },
    others: { verificationId: 'x'.repeat(21), code: wrongFor(code) },
  }
}

/** A contact that is known by its id, and one that is made. */
const reporting = (known: Values, others: Values, headers: Readonly<Record<string, string>> = {}): readonly Prepare[] => [
  async (place) => {
    const { ada, bob } = await people(place)
    return { headers, body: { contactId: ada, ...known }, others: { contactId: bob, ...others } }
  },
  () => ({
    headers,
    body: { email: 'new.#@example.com', phone: '+97253#', ...known },
    others: { email: 'newer.#@example.com', phone: '+97254#', ...others },
  }),
]

const names = { firstName: 'Ada', lastName: 'Lovelace' }
const otherNames = { firstName: 'Grace', lastName: 'Hopper' }
/** The names of a contact that the event makes. */
const ingest: readonly Prepare[] = [
  ...reporting({ event: 'tea', properties: { size: 42 } }, { event: 'coffee', properties: { size: 43 } }),
  () => ({
    body: { event: 'tea', email: 'new.#@example.com', ...names },
    others: { event: 'coffee', email: 'newer.#@example.com', ...otherNames },
  }),
]

const order = (orderId: string) => ({ externalId: `${orderId}-#`, orderId, amount: 49.9, currency: 'EUR' })
const storeEvents = reporting(
  { event: 'order.completed', occurredAt: '2024-01-15T09:30:00.000Z', data: order('A-1') },
  { event: 'order.refunded', occurredAt: '2024-01-16T09:30:00.000Z', data: order('A-2') },
  { 'X-Connector-Secret': SECRET },
)

const listed =
  (prepare: (ids: Readonly<{ ada: string; bob: string }>) => Pick<Prepared, 'body' | 'others'>, isListed: boolean): Prepare =>
  async (place) => {
    const { client } = place
    const ids = await people(place)
    const path = `/public/lists/${client.applied.lists.Newsletter}/members`
    const emails = ['ada.#@example.com', 'bob.#@example.com', 'eve.#@example.com', 'fay.#@example.com']
    if (isListed) await client.request('POST', path, { emails })
    return { path, ...prepare(ids) }
  }

const signedIn = async ({ client: { url, slug } }: CaseContext) => {
  const { token } = await signIn(url, { email: 'owner@every-body.example', password: PASSWORD, workspace: slug })
  return { Authorization: `Bearer ${token}` }
}
const newKey: Prepare = async (place) => ({ headers: await signedIn(place), body: { name: 'Till' }, others: { name: 'Fair' } })

const P256DH = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'
const register: Prepare = async (place) => {
  const { ada, bob } = await people(place)
  return {
    body: {
      profileId: ada,
      endpoint: 'http://127.0.0.1:9/one/#',
      keys: { p256dh: P256DH, auth: 'BTBZMqHH6r4Tts7J_aSIgg' },
      userAgent: 'Browser/1',
      browser: 'Firefox',
      platform: 'Linux',
    },
    others: {
      profileId: bob,
      endpoint: 'http://127.0.0.1:9/two/#',
      keys: { p256dh: P256DH, auth: 'ATBZMqHH6r4Tts7J_aSIgg' },
      userAgent: 'Browser/2',
      browser: 'Chrome',
      platform: 'Android',
    },
  }
}

/**
 * By operation: requests that together have every field of its body. What wins over another field, or goes without it, stands in a request of its own.
 */
export const bodyCases: Readonly<Record<string, readonly Prepare[]>> = {
  'profiles.create': [() => ({ body: profile, others: otherProfile })],
  'profiles.upsert': [() => ({ body: profile, others: otherProfile })],
  'profiles.update': [async (place) => ({ path: `/public/profiles/${(await people(place)).ada}`, body: profile, others: otherProfile })],
  'profiles.updateByEmail': [byEmail],
  'profiles.blacklist': (['email', 'contactId'] as const).map(blocking(false)),
  'profiles.liftBlacklist': (['email', 'contactId'] as const).map(blocking(true)),
  'messages.sendEmail': sendEmail,
  'messages.sendSms': sendSms,
  'otp.send': [sendOtp],
  'otp.verify': [verifyOtp],
  'events.ingest': ingest,
  'storeEvents.report': storeEvents,
  'tags.create': [() => ({ body: { name: 'Sale #', color: 'accent' }, others: { name: 'Season #', color: 'warn' } })],
  'lists.addMembers': [
    listed(
      ({ ada }) => ({
        body: { emails: ['new.#@example.com'], contactIds: [ada] },
        others: { emails: ['newer.#@example.com'], contactIds: [UNKNOWN] },
      }),
      false,
    ),
  ],
  'lists.removeMembers': [
    listed(
      ({ ada, bob }) => ({
        body: { email: 'eve.#@example.com', emails: ['fay.#@example.com'], contactIds: [ada] },
        others: { email: 'gus.#@example.com', emails: ['gus.#@example.com'], contactIds: [bob] },
      }),
      true,
    ),
  ],
  'webhooks.create': [
    () => ({
      body: { url: 'http://127.0.0.1:9/one/#', events: ['contact.created'], label: 'One' },
      others: { url: 'http://127.0.0.1:9/two/#', events: ['contact.updated'], label: 'Two' },
    }),
  ],
  'auth.login': [
    ({ client: { slug } }) => ({
      body: { email: 'owner@every-body.example', password: PASSWORD, workspace: slug },
      others: { email: 'second@every-body.example', password: 'wrong', workspace: UNKNOWN },
      refused: ['password', 'workspace'],
    }),
  ],
  'auth.link': [async ({ newLink }) => ({ body: { token: await newLink() }, others: { token: 'A'.repeat(43) }, refused: ['token'] })],
  'apiKeys.create': [newKey],
  'apiKeys.createPublishable': [newKey],
  'push.register': [register],
  'forms.subscribe': [
    () => ({
      headers: { Origin: SHOP },
      body: { email: 'new.#@example.com', phone: '+97253#', formId: 'footer', fields: { firstName: 'Ada' }, sourceUrl: `${SHOP}/one` },
      others: {
        email: 'newer.#@example.com',
        phone: '+97254#',
        formId: 'header',
        fields: { firstName: 'Grace' },
        sourceUrl: `${SHOP}/two`,
      },
    }),
  ],
}
