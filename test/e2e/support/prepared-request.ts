import type { Client } from './client.ts'
import { SHOP } from './forms.ts'
import { profilesOf } from './profiles.ts'

export type Values = Readonly<Record<string, unknown>>

/**
 * Each request is of people of its own: a `#` in what `client` sends stands for `n`. `name`: a comparison has the word instead of the text, which is
 * another one each time. `newLink`: the token of a link that signs the owner in once.
 */
export type CaseContext = Readonly<{
  client: Client
  n: number
  name: (word: string, text: string) => string
  newLink: () => Promise<string>
}>

/** A request, and another value for each field of its body. `refused`: fields whose other value is refused. `look`: what else shows what it did. */
export type Prepared = Readonly<{
  path?: string
  headers?: Readonly<Record<string, string>>
  body: Values
  others: Values
  refused?: readonly string[]
  look?: () => Promise<unknown>
}>
export type Prepare = (place: CaseContext) => Promise<Prepared> | Prepared

export const PASSWORD = 'correct horse battery'
export const SECRET = 'the-secret-of-the-shop'

/** What the requests need of their workspace. */
export const FILE = `
workspace: { slug: every-body, name: Shop }
country: IL
apiKeys: [{ name: test }]
features: [embedded_forms]
formOrigins: ["${SHOP}"]
credits: 10000
senderDomains: [{ domain: every-body.example, verified: true }]
senderAddresses: [{ email: hello@every-body.example, name: Hello, verified: true }, { email: second@every-body.example, verified: true }]
smsSenderIds: [{ id: Acme, status: approved }, { id: Second, status: approved }]
connectors: [{ name: shop, secret: ${SECRET} }]
users:
  - { email: owner@every-body.example, password: ${PASSWORD}, role: owner }
  - { email: second@every-body.example, password: ${PASSWORD}, role: owner }
lists: [{ name: Newsletter, type: static }]
templates:
  - { name: mail, channel: email, subject: "First", html: "<p>First {{word}}</p>" }
  - { name: mail2, channel: email, subject: "Second", html: "<p>Second {{word}}</p>" }
  - { name: text, channel: sms, body: "First {{word}}" }
  - { name: text2, channel: sms, body: "Second {{word}}" }`

/** Two contacts that the workspace has, by their ids. */
export async function people({ client, name }: CaseContext) {
  const { create } = profilesOf(client)
  const ada = await create({ email: 'ada.#@example.com', phone: '+97250#' })
  const bob = await create({ email: 'bob.#@example.com', phone: '+97252#' })
  return { ada: name('ada', ada.id), bob: name('bob', bob.id) }
}
