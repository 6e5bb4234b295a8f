import type { ProviderKind } from './slow-provider.ts'

/** What persons do, by the name of their list. */
export type PersonList = 'stop' | 'unsubscribe' | 'blacklist' | 'erase'

/** `part`: which range of addresses, one a workspace and list. */
type Person = Readonly<{ part: number; n: number }>

/** What differs between mail and texts, and between the providers. `places`: how many messages the provider holds at a time. */
export type NeighbourChannel = Readonly<{
  kind: ProviderKind
  name: string
  answerMs: number
  places: number
  channel: 'email' | 'sms'
  path: string
  settings: (providerUrl: string) => Readonly<Record<string, string>>
  address: (person: Person) => string
  /** A contact that may get marketing. */
  contact: (person: Person) => Readonly<Record<string, string>>
  /** A transactional message of the workspace that shows the mark. */
  message: (slug: string, to: string, mark: string) => Readonly<Record<string, string>>
  /** Lines of the workspace file. */
  sender: (slug: string, isBlocked?: boolean) => string
  template: (mark: string) => string
  from: (slug: string) => string
  /** The ways in which one person says no. */
  persons: readonly PersonList[]
}>

/** Text in a subject or body by which an arrival is recognised. */
const marked = (mark: string): string => `Order #${mark}# is ready`
export function markOf(text: string): string {
  return /#([a-z]+\d*)#/.exec(text)?.[1] ?? ''
}

/** Sessions with the relay in one process, its default. */
const SESSIONS = 20
/** Calls at once of Twilio's API. */
const CALLS = 20
const WINDOW = 10

const mail: Omit<NeighbourChannel, 'kind' | 'name' | 'answerMs' | 'places'> = {
  channel: 'email',
  path: '/public/messages/email',
  settings: (url) => ({ TIDINGS_EMAIL_PROVIDER: url, TIDINGS_SMTP_CONNECTIONS: String(SESSIONS) }),
  address: ({ part, n }) => `person-${part}-${n}@people.example`,
  contact: (person) => ({ email: mail.address(person), emailConsent: 'subscribed' }),
  message: (slug, to, mark) => ({ to, fromEmail: `hello@${slug}.example`, subject: marked(mark), html: '<p>Your order is ready.</p>' }),
  sender: (slug, isBlocked = false) => `senderDomains: [{ domain: ${slug}.example, verified: true, blocklisted: ${isBlocked} }]
senderAddresses: [{ email: hello@${slug}.example, name: ${slug}, verified: true }]`,
  template: (mark) => `{ name: ${mark}, channel: email, subject: "${marked(mark)}", html: "<p>Your order is ready.</p>" }`,
  from: (slug) => `hello@${slug}.example`,
  persons: ['unsubscribe', 'blacklist', 'erase'],
}

const PHONES_OF_PART = 1_000_000

const text: Omit<NeighbourChannel, 'kind' | 'name' | 'answerMs' | 'places'> = {
  channel: 'sms',
  path: '/public/messages/sms',
  // The passcodes of one workspace to numbers that look alike are what is measured.
  settings: (url) => ({ TIDINGS_SMS_PROVIDER: url, TIDINGS_PASSCODES_PER_WORKSPACE: 'off', TIDINGS_PASSCODES_PER_PREFIX: 'off' }),
  address: ({ part, n }) => `+97254${(part + 1) * PHONES_OF_PART + n}`,
  contact: (person) => ({ phone: text.address(person), smsConsent: 'subscribed' }),
  message: (slug, to, mark) => ({ to, senderId: slug.toUpperCase(), body: marked(mark) }),
  sender: (slug) => `smsSenderIds: [{ id: ${slug.toUpperCase()}, status: approved }]`,
  template: (mark) => `{ name: ${mark}, channel: sms, body: "${marked(mark)}" }`,
  from: (slug) => slug.toUpperCase(),
  persons: ['stop', 'unsubscribe', 'blacklist', 'erase'],
}

export const NEIGHBOUR_CHANNELS: readonly NeighbourChannel[] = [
  { ...mail, kind: 'smtp', name: 'relay of 2 s a mail', answerMs: 2_000, places: SESSIONS },
  { ...text, kind: 'smpp', name: `SMSC of 300 ms, window ${WINDOW}`, answerMs: 300, places: WINDOW },
  { ...text, kind: 'twilio', name: 'Twilio API of 300 ms', answerMs: 300, places: CALLS },
]
