import type { WorkspaceSettings } from '@tidings/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Answer, Client } from '../support/client.ts'
import { eventsOfWorkspace } from '../support/stored-log.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; operator: Session; signedIn: (client: Client, email: string) => Promise<Session> }>

const FILE = `users:
  - { email: owner@settings.example, password: correct horse battery, role: owner }
  - { email: second@settings.example, password: correct horse battery, role: owner }
  - { email: admin@settings.example, password: correct horse battery, role: admin }
timezone: Asia/Jerusalem
stopWords: [basta]`

/** Two owners and an admin of a workspace of their own. */
export function workspaceCases(doors: () => Doors): void {
  describe('the settings of a workspace', () => {
    let owner: Session
    let second: Session
    let admin: Session
    beforeAll(async () => {
      const { world, signedIn } = doors()
      const client = await world.workspace('settings', FILE)
      owner = await signedIn(client, 'owner@settings.example')
      second = await signedIn(client, 'second@settings.example')
      admin = await signedIn(client, 'admin@settings.example')
    })
    const read = async (session: Session = owner) => dataOf<WorkspaceSettings>(await session.call('GET /dashboard/workspace'), 200)
    type Section = 'general' | 'marketing' | 'replies'
    const save = (session: Session, section: Section, etag: string, body: object): Promise<Answer> =>
      session.call(`PUT /dashboard/workspace/${section}`, { body, headers: { 'If-Match': `"${etag}"` } })
    const general = { name: 'Settings Ltd', country: 'DE', tracking: true }
    const marketing = { timezone: 'Europe/Berlin', quietHours: { from: '22:00', to: '07:30' }, frequencyCap: { messages: 2, days: 7 } }
    const replies = { stop: 'Bye.', start: null, help: 'Write to us.' }

    it('are read by admins and changed by owners, each part for itself', async () => {
      const before = await read(admin)
      expect(before).toMatchObject({ slug: 'settings', status: 'active', general: { country: 'IL', tracking: false } })
      expect(before.marketing).toMatchObject({ timezone: 'Asia/Jerusalem', quietHours: null, frequencyCap: null })
      expect(outcome(await save(admin, 'general', before.general.etag, general))).toEqual(coded(403, 'owner_required'))
      // Three saves by what was read once: none is in the way of another.
      for (const [section, body] of Object.entries({ general, marketing, replies } as const))
        expect((await save(owner, section as Section, before[section as Section].etag, body)).status).toBe(200)
      const after = await read(admin)
      expect(after).toMatchObject({ general, marketing, replies })
    })

    it('are refused with who changed them, where somebody else did, and written only where they differ', async () => {
      const { id, general: seen } = await read()
      expect((await save(second, 'general', seen.etag, { ...general, name: 'Theirs' })).status).toBe(200)
      const late = await save(owner, 'general', seen.etag, { ...general, name: 'Mine' })
      expect(outcome(late)).toEqual(coded(409, 'changed_meanwhile'))
      expect(late.body).toMatchObject({ by: 'second@settings.example', at: expect.any(String) })
      const now = await read()
      expect(now.general.name).toBe('Theirs')
      const written = () => eventsOfWorkspace(doors().world.stores.store, id)
      const before = await written()
      const { etag: _, ...same } = now.general
      expect((await save(owner, 'general', now.general.etag, same)).status).toBe(200)
      expect(await written()).toEqual(before)
    })

    it('take what holds, and say in a sentence what does not', async () => {
      const known = await read()
      const refused: readonly (readonly [Section, object, string])[] = [
        ['general', { ...general, country: 'XX' }, 'country must be one of the two letters of ISO 3166, like IL'],
        ['general', { ...general, name: '  ' }, 'name should not be empty'],
        ['general', { ...general, plan: 'enterprise' }, 'property plan should not exist'],
        ['marketing', { ...marketing, timezone: 'Mars/Olympus' }, 'timezone must be a valid IANA time-zone'],
        [
          'marketing',
          { ...marketing, quietHours: { from: '22:00', to: '22:00' } },
          'quietHours.to must be another time than quietHours.from',
        ],
        ['marketing', { ...marketing, frequencyCap: { messages: 0, days: 7 } }, 'frequencyCap.messages must not be less than 1'],
        ['replies', { ...replies, stop: ' ' }, 'stop must be a text that is not blank, or null'],
        ['replies', { ...replies, help: 'stop!' }, 'help must be no keyword itself, which the other side may answer'],
        ['replies', { ...replies, help: 'Basta' }, 'help must be no keyword itself, which the other side may answer'],
      ]
      for (const [section, body, sentence] of refused)
        expect(outcome(await save(owner, section, known[section].etag, body))).toEqual(uncoded(400, sentence))
      expect((await owner.call('PUT /dashboard/workspace/marketing', { body: marketing })).status).toBe(428)
      expect(await read()).toEqual(known)
      const none = { timezone: 'UTC', quietHours: null, frequencyCap: null }
      expect(dataOf<WorkspaceSettings>(await save(owner, 'marketing', known.marketing.etag, none), 200).marketing).toMatchObject(none)
      const hostile = '\u202eאבג <script>alert(1)</script>'
      const saved = await save(owner, 'general', known.general.etag, { ...general, name: hostile })
      expect(dataOf<WorkspaceSettings>(saved, 200).general.name).toBe(hostile)
    })
  })

  describe('a workspace that an operator stops', () => {
    it('is suspended, resumed and closed, and the sessions of its users end', async () => {
      const { world, operator, signedIn } = doors()
      const client = await world.workspace('stopped', FILE.replaceAll('settings.example', 'stopped.example'))
      const owner = await signedIn(client, 'owner@stopped.example')
      const as = { 'X-Tidings-Workspace': 'stopped' }
      const become = (body: object, session = operator, headers: Readonly<Record<string, string>> = as) =>
        session.call('POST /dashboard/workspace/status', { body, headers })
      expect(outcome(await become({ status: 'suspended' }, owner, {}))).toEqual(coded(403, 'operator_required'))
      expect(outcome(await become({ status: 'suspended' }, operator, {}))).toEqual(coded(400, 'workspace_required'))
      expect(dataOf<WorkspaceSettings>(await become({ status: 'suspended' }), 200).status).toBe('suspended')
      expect((await owner.call('GET /dashboard/workspace')).status).toBe(401)
      expect((await client.request('GET', '/public/lists')).status).toBe(403)
      // Meanwhile an operator changes its status and nothing else.
      const seen = dataOf<WorkspaceSettings>(await operator.call('GET /dashboard/workspace', { headers: as }), 200)
      const change = { body: { name: 'x', country: 'IL', tracking: false }, headers: { ...as, 'If-Match': `"${seen.general.etag}"` } }
      expect((await operator.call('PUT /dashboard/workspace/general', change)).status).toBe(403)
      expect(dataOf<WorkspaceSettings>(await become({ status: 'active' }), 200).status).toBe('active')
      expect((await client.request('GET', '/public/lists')).status).toBe(200)
      expect((await owner.call('GET /dashboard/workspace')).status).toBe(401)
      for (const body of [{ status: 'closed' }, { status: 'closed', slug: 'STOPPED' }])
        expect(outcome(await become(body))).toEqual(uncoded(400, 'slug must be that of the workspace, to close it'))
      expect(dataOf<WorkspaceSettings>(await become({ status: 'closed', slug: 'stopped' }), 200).status).toBe('closed')
      expect((await become({ status: 'active' })).status).toBe(403)
    })
  })
}
