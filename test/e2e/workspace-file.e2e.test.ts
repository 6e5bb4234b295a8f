import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { columnsThatHold } from './support/database.ts'
import { wordsInLog } from './support/stored-log.ts'
import { startWorld, type World } from './support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const owner = 'owner.quux@acme.example'
const password = 'correct horse battery'

const FILE = `
workspace: { slug: acme, name: Acme, plan: pro }
users: [{ email: " Owner.Quux@acme.example ", password: ${password}, role: owner }]
apiKeys: [{ name: server }]
credits: 1000
customFields: [{ key: size, label: Shoe size, kind: text }]
senderDomains: [{ domain: acme.example, verified: true }]
senderAddresses: [{ email: hello@acme.example, name: Acme, verified: true }]
smsSenderIds: [{ id: ACME, status: approved }]
templates: [{ name: welcome, channel: email, subject: s, html: h }]
lists: [{ name: VIP, type: static }]
tags: [{ name: spring }]
campaigns: [{ name: Sale, channel: email, tags: [spring], list: VIP, template: welcome, from: Hello@acme.example }]
customEvents: [{ name: order_placed }]
features: [embedded_forms]
formOrigins: ["https://shop.acme.example"]
forms: [{ id: footer, list: VIP }]`

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/)

describe('a file with every section', () => {
  it('tells the id of every record it names', async () => {
    expect(await world.apply(FILE)).toEqual({
      workspace: { id: UUID, slug: 'acme' },
      apiKeys: [{ id: UUID, name: 'server', key: expect.stringMatching(/^sk_evt_/) }],
      senderDomains: {},
      senderAddresses: { 'hello@acme.example': UUID },
      templates: { welcome: UUID },
      lists: { VIP: UUID },
      tags: { spring: UUID },
      campaigns: { Sale: UUID },
      flows: {},
      customFields: { size: UUID },
      users: { ' Owner.Quux@acme.example ': UUID },
    })
  })

  it('changes nothing when it is applied again, and tells the same ids', async () => {
    const first = await world.apply(FILE)
    const before = await world.stores.log.head()
    expect(await world.apply(FILE)).toEqual(first)
    expect(await world.stores.log.head()).toEqual(before)
  })

  it('writes no password anywhere, and no address into the log in clear', async () => {
    const secrets = [password, '$scrypt$']
    const stored = ['es', 'keys', 'ops', 'inbox']
    expect(await wordsInLog(world.stores.store, [owner, ...secrets])).toEqual([])
    expect(await columnsThatHold(world.stores.pool, stored, [owner])).toEqual([])
    expect(await columnsThatHold(world.stores.pool, [...stored, 'read'], secrets)).toEqual([])
  })

  it('makes an event of a new password', async () => {
    const before = await world.stores.log.head()
    await world.apply(FILE.replace(password, 'another horse battery'))
    expect(await world.stores.log.head()).not.toEqual(before)
    await world.apply(FILE)
  })
})

describe('a file whose names lead nowhere', () => {
  const campaign = (fields: string) => `workspace: { slug: acme, name: Renamed }\ncampaigns: [{ name: New, ${fields} }]`

  it.each([
    ['channel: email, list: Unknown', 'campaigns[0].list: there is no list "Unknown", neither in the file nor in the workspace'],
    ['channel: email, tags: [spring, none]', 'campaigns[0].tags[1]: there is no tag "none", neither in the file nor in the workspace'],
    ['channel: email, template: none', 'campaigns[0].template: there is no template "none", neither in the file nor in the workspace'],
    ['channel: sms, template: welcome', 'campaigns[0].template: "welcome" is for email, the campaign for sms'],
    [
      'channel: email, from: a@b.example',
      'campaigns[0].from: there is no sender address "a@b.example", neither in the file nor in the workspace',
    ],
    ['channel: sms, from: hello@acme.example', /^campaigns\[0\].from: there is no SMS sender ID /],
  ])('(%s) changes nothing', async (fields, sentence) => {
    const before = await world.stores.log.head()
    await expect(world.apply(campaign(fields))).rejects.toThrow(sentence)
    expect(await world.stores.log.head()).toEqual(before)
  })

  it('(forms: a list) changes nothing', async () => {
    const before = await world.stores.log.head()
    const file = 'workspace: { slug: acme, name: Renamed }\nforms: [{ id: footer, list: Unknown }]'
    await expect(world.apply(file)).rejects.toThrow('forms[0].list: there is no list "Unknown", neither in the file nor in the workspace')
    expect(await world.stores.log.head()).toEqual(before)
  })

  it('may name what is there already', async () => {
    const { campaigns } = await world.apply(`workspace: { slug: acme, name: Acme }
campaigns: [{ name: New, channel: sms, list: VIP, tags: [spring], from: acme }]`)
    expect(campaigns).toEqual({ New: UUID })
  })

  it('cannot give a campaign another channel', async () => {
    const file = 'workspace: { slug: acme, name: Acme }\ncampaigns: [{ name: New, channel: email }]'
    await expect(world.apply(file)).rejects.toThrow('campaigns[0].channel: "New" is an sms campaign, use another name for email')
  })
})
