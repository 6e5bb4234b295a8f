import type { CataloguedEvent, EventCatalogue, EventIngested, ShownCustomEvent } from '@tidings/contracts'
import { describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { profilesOf } from '../support/profiles.ts'
import { call, newLink, type Session, sessionOf } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; session: (slug: string) => Promise<Readonly<{ client: Client; admin: Session }>> }>

const catalogueOf = async (session: Session): Promise<EventCatalogue> => dataOf(await session.call('GET /dashboard/events/catalogue'), 200)
const inCatalogue = async (session: Session, name: string): Promise<CataloguedEvent | undefined> =>
  (await catalogueOf(session)).items.find((event) => event.name === name)

/** The catalogue of events, by an admin of a workspace of its own for each case. */
export function eventCases(doors: () => Doors): void {
  const put = (admin: Session, path: string, { etag, ...body }: Readonly<{ etag: string }> & Readonly<Record<string, unknown>>) =>
    admin.call(`PUT /dashboard${path}`, { body, headers: { 'If-Match': `"${etag}"` } })

  describe('an event of a workspace', () => {
    it('is declared once, under a name that is not built in, and is what a workspace file declares', async () => {
      const { client, admin } = await doors().session('events-made')
      const post = (body: object) => admin.call('POST /dashboard/custom-events', { body })
      const tea = { name: 'cafe\u0301 \u05e0\u05d5\u05e2\u05d4', label: 'Tea \u202eevil', propertyNames: ['sort', 'constructor'] }
      const made = dataOf<ShownCustomEvent>(await post(tea), 201)
      expect(made).toMatchObject({
        name: 'caf\u00e9 \u05e0\u05d5\u05e2\u05d4',
        label: tea.label,
        propertyNames: tea.propertyNames,
        retired: false,
      })
      expect(outcome(await post({ ...tea, name: ` ${made.name}` }))).toEqual(coded(409, 'custom_event_exists'))
      expect(outcome(await post({ ...tea, name: 'order.completed' }))).toEqual(uncoded(400, 'event is a reserved name'))
      expect(outcome(await post({ ...tea, name: 'email.bounced' }))).toEqual(uncoded(400, 'event is a reserved name'))
      expect(outcome(await post({ ...tea, name: 'other', propertyNames: ['a', 'b', 'a'] }))).toEqual(
        uncoded(400, 'propertyNames[2] repeats "a"'),
      )
      for (const wrong of [{ name: '\u200b' }, { label: '\u2800' }, { propertyNames: [' '] }, { name: 'x'.repeat(129) }, { retired: true }])
        expect([wrong, (await post({ ...tea, name: 'other', ...wrong })).status]).toEqual([wrong, 400])
      await doors().world.workspace(client.slug, 'customEvents: [{ name: "café נועה", label: Tea }]')
      expect(dataOf<ShownCustomEvent>(await admin.call(`GET /dashboard/custom-events/${made.id}`), 200)).toMatchObject({
        label: 'Tea',
        propertyNames: [],
      })
    })

    it('is changed by whom has seen it as it is, and retired and brought back; its reports go on', async () => {
      const { client, admin } = await doors().session('events-edit')
      const asked = { name: 'tea', label: 'Tea', propertyNames: ['sort'] }
      const { id, etag } = dataOf<ShownCustomEvent>(await admin.call('POST /dashboard/custom-events', { body: asked }), 201)
      const path = `/custom-events/${id}`
      const wanted = { label: 'Drank tea', propertyNames: ['sort', 'cups'], retired: true }
      expect(outcome(await admin.call(`PUT /dashboard${path}`, { body: wanted }))).toEqual(coded(428, 'if_match_required'))
      const retired = dataOf<ShownCustomEvent>(await put(admin, path, { etag, ...wanted }), 200)
      expect(retired).toMatchObject({ name: 'tea', ...wanted })
      const late = await put(admin, path, { etag, ...wanted, label: 'Late' })
      expect(outcome(late)).toEqual(coded(409, 'changed_meanwhile'))
      expect(late.body).toMatchObject({ by: 'admin@events-edit.example' })
      const listed = async () => {
        const { items } = dataOf<Readonly<{ items: readonly Readonly<{ value: string }>[] }>>(
          await client.request('GET', '/public/events?limit=100'),
          200,
        )
        return items.map(({ value }) => value)
      }
      expect(await listed()).not.toContain('tea')
      const report = { event: 'tea', email: 'noa@events-edit.example', properties: { cups: 2 } }
      expect(dataOf<EventIngested>(await admin.call('POST /dashboard/events/ingest', { body: report }), 200).status).toBe('ok')
      expect(await inCatalogue(admin, 'tea')).toMatchObject({ kind: 'declared', label: 'Drank tea', retired: true })
      await put(admin, path, { etag: retired.etag, ...wanted, retired: false })
      expect(await listed()).toContain('tea')
    })

    it('is in the catalogue with its properties and who listens, and members see no endpoint', async () => {
      const { world, session } = doors()
      const { client, admin } = await session('events-all')
      const member = 'member@events-all.example'
      const again = await world.workspace(
        client.slug,
        `users: [{ email: ${member}, password: correct horse battery, role: member }]
lists: [{ name: Tea drinkers, type: dynamic, rule: { field: event.tea.count, op: gte, value: 1 } }]
flows:
  - { name: After tea, trigger: { type: custom_event, event: tea }, steps: [{ wait: { minutes: 60 } }] }
  - { name: Gone, trigger: { type: custom_event, event: tea }, steps: [{ wait: { minutes: 60 } }], retired: true }`,
      )
      const hook = (label: string, events: readonly string[]) =>
        client.request('POST', '/public/webhooks', { url: 'http://127.0.0.1:9/hook', label, events })
      await hook('Teas', ['shop.tea', 'order.completed'])
      await hook('All', ['*'])
      const { id: contactId } = await profilesOf(client).create({ email: 'noa@events-all.example' })
      for (const event of ['tea', 'shop.tea']) {
        const body = { event, contactId, properties: { sort: 'green', '050-1234567': 1 } }
        expect(dataOf<EventIngested>(await admin.call('POST /dashboard/events/ingest', { body }), 200)).toMatchObject({
          enrolled: event === 'tea' ? 1 : 0,
        })
      }
      await world.settle()
      const tea = { id: null, kind: 'observed', label: 'tea', retired: false, properties: [{ name: 'sort', kind: null }] }
      expect(await inCatalogue(admin, 'tea')).toEqual({
        ...tea,
        name: 'tea',
        webhooks: [],
        flows: [{ id: again.applied.flows['After tea'], name: 'After tea' }],
        lists: [{ id: again.applied.lists['Tea drinkers'], name: 'Tea drinkers' }],
      })
      expect((await inCatalogue(admin, 'shop.tea'))?.webhooks.map(({ name }) => name)).toEqual(['Teas'])
      const order = await inCatalogue(admin, 'order.completed')
      expect(order).toMatchObject({ kind: 'built_in', webhooks: [{ name: 'Teas' }] })
      expect(order?.properties).toEqual(
        expect.arrayContaining([
          { name: 'amount', kind: 'number' },
          { name: 'orderId', kind: 'text' },
          { name: 'contactId', kind: 'id' },
          { name: 'occurredAt', kind: 'time' },
        ]),
      )
      expect((await catalogueOf(admin)).everyEvent.map(({ name }) => name)).toEqual(['All'])

      const token = await newLink(world.stores, again, member)
      const theirs = sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }), world.settle)
      const { items, everyEvent } = await catalogueOf(theirs)
      expect([everyEvent, items.filter(({ webhooks }) => webhooks.length > 0)]).toEqual([[], []])
      expect(items.find(({ name }) => name === 'tea')?.flows).toHaveLength(1)
      expect(outcome(await theirs.call('POST /dashboard/events/ingest', { body: { event: 'tea', contactId } }))).toEqual(
        coded(403, 'role_required'),
      )
    })
  })
}
