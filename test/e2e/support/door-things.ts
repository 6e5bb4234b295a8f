import { recordIdOf } from '@tidings/codec'
import { asWorkspaceId } from '@tidings/domain'
import { dataOf } from './answers.ts'
import type { Client } from './client.ts'
import { insertDeadLetters } from './dead-letters.ts'
import { profilesOf } from './profiles.ts'
import type { Session } from './users.ts'
import type { World } from './world.ts'

// A workspace with one thing of each kind that a route behind the door of the dashboard names.

export const ROLES = ['member', 'admin', 'owner'] as const

export function fileOfDoors(slug: string): string {
  return `users:
${ROLES.map((name) => `  - { email: ${name}@${slug}.example, password: correct horse battery, role: ${name} }`).join('\n')}
lists: [{ name: VIP, type: static }]
templates: [{ name: welcome, channel: email, subject: Hi, html: "<p>Hello</p>" }]
campaigns: [{ name: Spring, channel: email, status: draft, list: VIP, template: welcome }]
flows: [{ name: Joined, trigger: { type: list_joined, list: VIP }, steps: [{ wait: { minutes: 60 } }] }]
tags: [{ name: Sale }]
customFields: [{ key: shoeSize, label: Spring, kind: number }]
customEvents: [{ name: tea, label: Spring }]
connectors: [{ name: Spring, secret: secret-of-the-shop }]
forms: [{ id: footer-of-${slug}, list: VIP }]`
}

/** What a parameter of a path may name, by the word before it. */
export type DoorThings = Readonly<Record<string, string | undefined>>

type Filling = Readonly<{ client: Client; member: Session; admin: Session }>

/** Makes what `fileOfDoors` cannot. */
export async function fillDoors(world: World, { client, member, admin }: Filling): Promise<DoorThings> {
  const { workspace, lists, templates, campaigns, flows, tags, users, apiKeys, senderAddresses } = client.applied
  const { id, slug } = workspace
  const email = `noa@${slug}.example`
  const person = (await profilesOf(client).create({ email, firstName: 'Noa' })).id
  const hook = { url: 'http://127.0.0.1:9/hook', events: ['never.fired'] }
  const webhook = dataOf<Readonly<{ id: string }>>(await client.request('POST', '/public/webhooks', hook), 201)
  const asked = dataOf<Readonly<{ deliveryId: string }>>(await admin.call(`POST /dashboard/webhooks/${webhook.id}/test`), 202)
  const { sessions } = dataOf<Readonly<{ sessions: readonly Readonly<{ id: string }>[] }>>(await member.call('GET /dashboard/account'), 200)
  const recordNamed = (kind: Parameters<typeof recordIdOf>[1], name: string) => recordIdOf(asWorkspaceId(id), kind, name)
  return {
    sessions: sessions[0]?.id,
    ...{ profiles: person, contacts: person, erasures: person, members: person, preview: person },
    messages: await client.send(email),
    ...{ lists: lists.VIP, templates: templates.welcome, campaigns: campaigns.Spring, flows: flows.Joined },
    people: users[`member@${slug}.example`],
    'api-keys': apiKeys[0]?.id,
    forms: `footer-of-${slug}`,
    webhooks: webhook.id,
    deliveries: asked.deliveryId,
    versions: '1',
    domains: `${slug}.example`,
    'dead-letters': (await insertDeadLetters(world, id))[0],
    tags: tags.Sale,
    'custom-fields': recordNamed('field', 'shoeSize'),
    connectors: recordNamed('connector', 'Spring'),
    'custom-events': recordNamed('event', 'tea'),
    addresses: senderAddresses[`hello@${slug}.example`],
  }
}

/** The path of a route with the id of a thing in place of each parameter. */
export function pathWith(things: DoorThings, path: string): string {
  return path.replace('/api/v1', '').replaceAll(/([\w-]+)\/\{\w+\}/g, (_, word: string) => {
    const id = things[word]
    if (id === undefined) throw new Error(`no id stands for what comes after ${word}`)
    return `${word}/${id}`
  })
}
