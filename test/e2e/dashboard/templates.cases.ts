import type { EditedTemplate, TemplateLibrary } from '@tidings/contracts'
import { describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Answer, Client } from '../support/client.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{
  world: World
  acme: Client
  sessions: Readonly<Record<'member' | 'admin', Session>>
  stranger: Session
  person: string
}>

/** Two editors: a member and an admin of the workspace `doors`, which has the template `welcome`. */
export function templateCases(doors: () => Doors): void {
  const path = (id = doors().acme.applied.templates.welcome ?? '') => `/dashboard/templates/${id}`
  const read = async (session: Session, id?: string) => dataOf<EditedTemplate>(await session.call(`GET ${path(id)}`), 200)
  type Edit = Readonly<{ etag?: string; key?: string; body?: object; id?: string | undefined }>
  const edit = (session: Session, { etag, key, body = { subject: 'Hi', html: '<p>Hi</p>' }, id }: Edit): Promise<Answer> =>
    session.call(`PUT ${path(id)}`, {
      body,
      headers: { ...(etag !== undefined && { 'If-Match': etag }), ...(key !== undefined && { 'Idempotency-Key': key }) },
    })
  const quoted = ({ etag }: EditedTemplate): string => `"${etag}"`

  describe('a template that is edited', () => {
    it('is changed where it is still as it was read, and says who changed it', async () => {
      const { sessions, acme } = doors()
      const before = await read(sessions.member)
      expect(before).toMatchObject({ name: 'welcome', channel: 'email', archived: false, version: 1, changedBy: 'operator' })
      expect(before.content).toMatchObject({ subject: 'Hi {{firstName|there}}', text: 'Hello', body: null, push: null })
      const body = { subject: 'Welcome', html: '<p>Welcome {{firstName}}</p>' }
      const after = dataOf<EditedTemplate>(await edit(sessions.member, { etag: quoted(before), body }), 200)
      expect(after).toMatchObject({ version: 2, changedBy: 'member@doors.example', content: { ...body, text: null } })
      expect(after.etag).not.toBe(before.etag)
      expect(await read(sessions.admin)).toEqual(after)
      const fields = await acme.request('GET', `/public/templates/${after.id}/merge-fields`)
      expect(dataOf<object>(fields, 200)).toEqual({ items: ['firstName'] })
    })

    it('is refused with who changed it, where somebody else did, and is as they left it', async () => {
      const { sessions } = doors()
      const seen = await read(sessions.member)
      const theirs = dataOf<EditedTemplate>(
        await edit(sessions.admin, { etag: quoted(seen), body: { subject: 'Theirs', html: '<p>x</p>' } }),
        200,
      )
      const late = await edit(sessions.member, { etag: quoted(seen), body: { subject: 'Mine', html: '<p>x</p>' } })
      expect(outcome(late)).toEqual(coded(409, 'changed_meanwhile'))
      expect(late.body).toMatchObject({ by: 'admin@doors.example', at: theirs.changedAt })
      expect(await read(sessions.member)).toEqual(theirs)
      expect((await edit(sessions.member, { etag: quoted(theirs), body: { subject: 'Mine', html: '<p>x</p>' } })).status).toBe(200)
    })

    it('is for one of two editors who save at the same moment', async () => {
      const { sessions } = doors()
      const seen = await read(sessions.member)
      const answers = await Promise.all(
        [sessions.member, sessions.admin].map((session, n) =>
          edit(session, { etag: quoted(seen), body: { subject: `Both ${n}`, html: '<p>x</p>' } }),
        ),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
      const { version, content } = await read(sessions.member)
      expect([version, content.subject]).toEqual([seen.version + 1, `Both ${answers.findIndex(({ status }) => status === 200)}`])
    })

    it('wants an etag, and keeps no refusal for want of one under an Idempotency-Key', async () => {
      const { sessions } = doors()
      const seen = await read(sessions.member)
      const key = `editing-${seen.etag}`
      expect(outcome(await edit(sessions.member, { key }))).toEqual(coded(428, 'if_match_required'))
      for (const etag of ['*', seen.etag, `W/${quoted(seen)}`, `${quoted(seen)}, ${quoted(seen)}`, '""'])
        expect(outcome(await edit(sessions.member, { key, etag }))).toEqual(
          uncoded(400, 'If-Match must be the etag of the record in double quotes'),
        )
      const saved = dataOf<EditedTemplate>(await edit(sessions.member, { key, etag: quoted(seen) }), 200)
      const repeated = await edit(sessions.member, { key, etag: quoted(seen) })
      expect([repeated.headers.get('idempotent-replayed'), dataOf<EditedTemplate>(repeated, 200)]).toEqual(['true', saved])
      // The same body against another state is another request.
      expect(outcome(await edit(sessions.member, { key, etag: quoted(saved) }))).toEqual(coded(409, 'idempotency_key_reused'))
    })

    it('is answered as saved where the process died between the append and its answer', async () => {
      const { sessions, world } = doors()
      const asked = {
        etag: quoted(await read(sessions.member)),
        key: 'died-behind-the-append',
        body: { subject: 'Once', html: '<p>x</p>' },
      }
      const saved = dataOf<EditedTemplate>(await edit(sessions.member, asked), 200)
      const { rowCount } = await world.stores.pool.query(
        "update ops.idempotency set status = null, answer = null, lease_until = '-infinity' where path = $1 and status = 200",
        [`/api/v1${path()}`],
      )
      expect(rowCount).toBeGreaterThan(0)
      expect(dataOf<EditedTemplate>(await edit(sessions.member, asked), 200)).toEqual(saved)
    })

    it('takes the texts of its channel, whose tags can resolve', async () => {
      const { sessions } = doors()
      const seen = await read(sessions.member)
      const refusals = {
        'html is required in a template of the channel email': { subject: 'x' },
        'body is no text of a template of the channel email': { subject: 'x', html: 'x', body: 'x' },
        'subject: "{{firstName" is no merge tag and would be sent as it is: write {{key}} or {{key|fallback}} on one line': {
          subject: '{{firstName',
          html: 'x',
        },
        'html must be shorter than or equal to 500000 characters': { subject: 'x', html: 'x'.repeat(500_001) },
        'property name should not exist': { subject: 'x', html: 'x', name: 'other' },
      }
      for (const [sentence, body] of Object.entries(refusals))
        expect(outcome(await edit(sessions.member, { etag: quoted(seen), body }))).toEqual(uncoded(400, sentence))
      const hostile = `</script><script>alert(1)</script>\u202e{{firstName|</p>}}${'x'.repeat(499_000)}`
      const saved = dataOf<EditedTemplate>(await edit(sessions.member, { etag: quoted(seen), body: { subject: 'x', html: hostile } }), 200)
      expect(saved.content.html).toBe(hostile)
    })

    it('of another workspace is not there, whatever its etag', async () => {
      const { sessions, stranger } = doors()
      const seen = await read(sessions.member)
      expect(outcome(await stranger.call(`GET ${path()}`))).toEqual(coded(404, 'template_not_found'))
      expect(outcome(await edit(stranger, { etag: quoted(seen) }))).toEqual(coded(404, 'template_not_found'))
      expect(await read(sessions.member)).toEqual(seen)
    })
  })

  describe('templates', () => {
    type Versions = Readonly<{
      items: readonly Readonly<{ version: number; what: string; by: string; restoredFrom: number | null }>[]
      next_cursor: string | null
    }>
    const versionsOf = async (id: string, query = '') =>
      dataOf<Versions>(await doors().sessions.member.call(`GET ${path(id)}/versions${query}`), 200)
    const created = async (body: object, key?: string) =>
      await doors().sessions.member.call('POST /dashboard/templates', {
        body,
        headers: { ...(key !== undefined && { 'Idempotency-Key': key }) },
      })
    const SMS = { name: 'Reminder', channel: 'sms', body: 'Hello {{firstName|you}}' }

    it('are added under a name that no other has, with the id that a workspace file would give them', async () => {
      const { world, acme } = doors()
      const made = dataOf<EditedTemplate>(await created(SMS, 'made-once'), 201)
      expect(made).toMatchObject({ name: 'Reminder', channel: 'sms', version: 1, changedBy: 'member@doors.example' })
      expect(outcome(await created(SMS))).toEqual(coded(409, 'template_name_taken'))
      expect(dataOf<EditedTemplate>(await created(SMS, 'made-once'), 201)).toEqual(made)
      await world.stores.pool.query("update ops.idempotency set status = null, answer = null, lease_until = '-infinity' where status = 201")
      expect(dataOf<EditedTemplate>(await created(SMS, 'made-once'), 201)).toEqual(made)
      const applied = await world.apply(
        `workspace: { slug: ${acme.applied.workspace.slug}, name: doors }\ntemplates: [${JSON.stringify(SMS)}]`,
      )
      expect(applied.templates.Reminder).toBe(made.id)
      expect((await versionsOf(made.id)).items).toHaveLength(1)
    })

    it('are archived and used again, and no send may use one that is archived', async () => {
      const { sessions, acme } = doors()
      const { id } = dataOf<EditedTemplate>(await created({ name: 'Archived', channel: 'email', subject: 'a', html: 'a' }), 201)
      const move = (name: string) => sessions.member.call(`POST ${path(id)}/${name}`)
      const library = async (query: string) => {
        const { items } = dataOf<TemplateLibrary>(await sessions.member.call(`GET /dashboard/templates/library?${query}`), 200)
        return items.map((one) => one.name)
      }
      expect(dataOf<EditedTemplate>(await move('archive'), 200).archived).toBe(true)
      expect(dataOf<EditedTemplate>(await move('archive'), 200).version).toBe(2)
      expect(await library('archived=true')).toEqual(['Archived'])
      expect(await library('archived=false&channel=email')).toEqual(['welcome'])
      const send = { to: 'noa@doors.example', fromEmail: 'hello@doors.example', templateId: id }
      expect(outcome(await sessions.member.call('POST /dashboard/messages/email', { body: send }))).toEqual(
        coded(404, 'template_not_found'),
      )
      expect(dataOf<EditedTemplate>(await move('restore'), 200)).toMatchObject({ archived: false, version: 3 })
      expect(await library('')).toEqual(expect.arrayContaining(['Archived', 'welcome', 'Reminder']))
      expect((await versionsOf(id)).items.map(({ what }) => what)).toEqual(['restored', 'archived', 'created'])
      expect(acme.applied.templates).not.toHaveProperty('Archived')
    })

    it('have a history, of which a version is restored as a new one that says so', async () => {
      const { sessions } = doors()
      const first = dataOf<EditedTemplate>(await created({ name: 'History', channel: 'email', subject: '1', html: '<b>1</b>' }), 201)
      const { id } = first
      let last = first
      for (let n = 2; n <= 25; n++)
        last = dataOf<EditedTemplate>(
          await edit(n % 2 ? sessions.member : sessions.admin, { id, etag: quoted(last), body: { subject: `${n}`, html: '<b>x</b>' } }),
          200,
        )
      const page = await versionsOf(id)
      expect(page.items.map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, n) => 25 - n))
      expect(page.items[0]).toMatchObject({ by: 'member@doors.example', what: 'changed', restoredFrom: null })
      const rest = await versionsOf(id, `?after=${page.next_cursor}`)
      expect([rest.items.map(({ version }) => version), rest.next_cursor]).toEqual([[5, 4, 3, 2, 1], null])
      expect((await versionsOf(id, '?after=1')).items).toEqual([])

      const version = (n: number) => sessions.member.call(`GET ${path(id)}/version?version=${n}`)
      expect(dataOf<object>(await version(1), 200)).toMatchObject({ what: 'created', content: { subject: '1', html: '<b>1</b>' } })
      expect(outcome(await version(26))).toEqual(coded(404, 'template_version_not_found'))
      const restore = (body: object, etag: string) =>
        sessions.member.call(`POST ${path(id)}/versions`, { body, headers: { 'If-Match': etag } })
      expect(outcome(await restore({ version: 1 }, quoted(first)))).toEqual(coded(409, 'changed_meanwhile'))
      expect(outcome(await restore({ version: 99 }, quoted(last)))).toEqual(coded(404, 'template_version_not_found'))
      const again = dataOf<EditedTemplate>(await restore({ version: 1 }, quoted(last)), 200)
      expect(again).toMatchObject({ version: 26, content: first.content })
      expect((await versionsOf(id)).items[0]).toMatchObject({ version: 26, what: 'changed', restoredFrom: 1 })
      // What is restored to what it is already is no version.
      expect(dataOf<EditedTemplate>(await restore({ version: 26 }, quoted(again)), 200).version).toBe(26)
    })

    it('of another workspace have no history, and no preview is made as a person of another', async () => {
      const { stranger, sessions, acme, person } = doors()
      const id = acme.applied.templates.welcome ?? ''
      for (const [route, options] of [
        [`GET ${path(id)}/versions`, {}],
        [`GET ${path(id)}/version?version=1`, {}],
        [`POST ${path(id)}/versions`, { body: { version: 1 }, headers: { 'If-Match': `"${'0'.repeat(64)}"` } }],
        [`POST ${path(id)}/archive`, {}],
        [`POST ${path(id)}/restore`, {}],
      ] as const)
        expect([route, outcome(await stranger.call(route, options))]).toEqual([route, coded(404, 'template_not_found')])
      const check = { channel: 'email', subject: '{{email}}', html: '{{email}}', contactId: person }
      expect(outcome(await stranger.call('POST /dashboard/templates/check', { body: check }))).toEqual(uncoded(404, 'Profile not found'))
      expect(JSON.stringify((await sessions.member.call('POST /dashboard/templates/check', { body: check })).body)).toContain(
        'noa@doors.example',
      )
    })
  })
}
