import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AuditEntryPage, Erasure, ErasurePage, WorkspaceProofs } from '@tidings/contracts'
import { asContactId, asWorkspaceId, contactStream } from '@tidings/domain'
import { openLogKey } from '@tidings/evidence/proof'
import { erasePerson } from '@tidings/service/operations'
import { describe, expect, it, onTestFinished } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { profilesOf } from '../support/profiles.ts'
import { storedEvents } from '../support/stored-log.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{
  world: World
  acme: Client
  sessions: Readonly<Record<'member' | 'admin', Session>>
  stranger: Session
  signedIn: (client: Client, email: string) => Promise<Session>
}>

const HOSTILE = '</script><script>alert(1)</script>\u202egnp.exe'
const run = promisify(execFile)

/** The folder `name` of a zip. */
async function unpacked(answer: Response, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-proof-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'proof.zip'), Buffer.from(await answer.arrayBuffer()))
  await run('python3', ['-m', 'zipfile', '-e', join(folder, 'proof.zip'), folder])
  return join(folder, name)
}

/** An admin of the workspace `doors`, which has the list `VIP` and the template `welcome`. */
export function erasureCases(doors: () => Doors): void {
  const download = async (path: string): Promise<Response> =>
    fetch(`${doors().world.url}/api/v1/dashboard${path}`, { headers: { Authorization: `Bearer ${doors().sessions.admin.token}` } })
  const known = async (email: string) => {
    const { acme } = doors()
    const { id } = await profilesOf(acme).create({ email, firstName: HOSTILE, emailConsent: 'subscribed' })
    await profilesOf(acme).patch(id, { emailConsent: 'unsubscribed' })
    await acme.request('POST', `/public/lists/${acme.applied.lists.VIP ?? ''}/members`, { contactIds: [id] })
    const message = await acme.send(email)
    await acme.messageWith(message, 'sent', 'delivered')
    await acme.shown()
    return { id, message }
  }

  describe('what the law gives a person', () => {
    it('is everything, as a file that no browser runs', async () => {
      const { acme } = doors()
      const { id, message } = await known('export@doors.example')
      const events = { contactId: id, event: 'order_placed', properties: { note: HOSTILE } }
      expect((await acme.request('POST', '/events/ingest', events)).status).toBeLessThan(300)
      await acme.shown()
      const answer = await download(`/profiles/${id}/export?format=json`)
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="contact-${id}.json"`)
      const exported = (await answer.json()) as Readonly<Record<string, readonly object[]>>
      expect(Object.keys(exported)).toEqual([
        'profile',
        'consent',
        'suppressions',
        'lists',
        'messages',
        'events',
        'pushSubscriptions',
        'flows',
        'changes',
      ])
      expect(exported.profile).toMatchObject({ id, email: 'export@doors.example', firstName: HOSTILE })
      expect(exported.consent).toHaveLength(2)
      expect(exported.lists).toMatchObject([{ name: 'VIP' }])
      expect(exported.messages).toMatchObject([{ id: message }])
      expect(exported.events).toMatchObject([{ event: 'order_placed', properties: { note: HOSTILE } }])
      const page = await download(`/profiles/${id}/export?format=html`)
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.headers.get('content-security-policy')).toContain('sandbox')
      const html = await page.text()
      expect(html).toContain('export@doors.example')
      expect(html).not.toContain('<script>')
      expect((await download(`/profiles/${id}/export?format=pdf`)).status).toBe(400)
    })

    it('is a proof that both verifiers take, and that neither takes once it was changed', async () => {
      const { world } = doors()
      const { id } = await known('prove@doors.example')
      const answer = await download(`/profiles/${id}/proof?at=${new Date(Date.now() - 1_000).toISOString()}`)
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="proof-${id}.zip"`)
      const proof = await unpacked(answer, `proof-${id}`)
      const { fingerprint } = await openLogKey(world.stores.keyRing)
      const verify = async () => {
        const words = ['--key', fingerprint]
        const said = await Promise.all([
          run(process.execPath, [join(proof, 'verify.mjs'), ...words]),
          run('python3', [join(proof, 'verify.py'), ...words]),
        ])
        return said.map(({ stdout }) => stdout.split('\n')[0])
      }
      const [one, other] = await verify()
      expect(one).toMatch(/^OK: 1 contact, 2 consents and /)
      expect(other).toBe(one)
      await writeFile(join(proof, 'report.html'), 'another')
      await expect(verify()).rejects.toThrow()
      for (const at of ['tomorrow', '2999-01-01']) expect((await download(`/profiles/${id}/proof?at=${at}`)).status).toBe(400)
    })

    it('is a proof of all people of the workspace, noted as asked for, and of no other workspace', async () => {
      const { acme, sessions, stranger } = doors()
      const { id } = await known('prove-all@doors.example')
      const slug = acme.applied.workspace.slug
      const shown = dataOf<WorkspaceProofs>(await sessions.admin.call('GET /dashboard/proofs'), 200)
      expect(shown.fingerprint).toBe((await openLogKey(doors().world.stores.keyRing)).fingerprint)
      expect(shown.whole).toBe('possible')
      const answer = await download('/proofs/all')
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="proof-of-${slug}.zip"`)
      const proof = await readFile(join(await unpacked(answer, `proof-of-${slug}`), 'proof.json'), 'utf8')
      expect(proof).toContain(id)
      const { head } = JSON.parse(proof) as Readonly<{ head: Readonly<{ statement: Readonly<{ root: string; size: number }> }> }>
      const after = dataOf<WorkspaceProofs>(await sessions.admin.call('GET /dashboard/proofs'), 200)
      expect(after.heads).toContainEqual(expect.objectContaining({ root: head.statement.root, size: head.statement.size }))
      const asked = dataOf<AuditEntryPage>(await sessions.admin.call('GET /dashboard/audit?only=exports'), 200).items
      expect(asked[0]).toMatchObject({ what: 'proof', thing: null, by: 'admin@doors.example' })
      expect(asked.filter(({ what }) => what !== 'proof' && what !== 'export')).toEqual([])
      expect(dataOf<WorkspaceProofs>(await stranger.call('GET /dashboard/proofs'), 200).whole).toBe('nothing')
      expect(outcome(await stranger.call('GET /dashboard/proofs/all'))).toEqual(coded(409, 'nothing_to_prove'))
      expect(dataOf<AuditEntryPage>(await stranger.call('GET /dashboard/audit?only=exports'), 200).items).toEqual([])
    })

    it('is no proof where there are more events than one may have over HTTP, of a person or of all, and nothing is noted', async () => {
      const { world, signedIn } = doors()
      const users = 'users: [{ email: admin@proof-large.example, password: correct horse battery, role: admin }]'
      const client = await world.workspace('proof-large', users)
      const admin = await signedIn(client, 'admin@proof-large.example')
      const { id } = await profilesOf(client).create({ email: 'often@proof-large.example', emailConsent: 'subscribed' })
      const [workspaceId, contactId] = [asWorkspaceId(client.applied.workspace.id), asContactId(id)]
      for (let n = 0; n < 10; n++) {
        const context = { commandId: `often-${n}`, workspaceId, actor: 'pipeline', requestId: 'often', at: '2100-01-01T00:00:00.000Z' }
        // No read model has these.
        const events = Array.from({ length: 500 }, () => ({ type: 'ContactClaimAbandoned', data: { contactId, claimId: 'none' } }) as const)
        await world.stores.log.append(contactStream(workspaceId, contactId), 'any', events, context)
      }
      for (const path of [`/profiles/${id}/proof`, '/proofs/all'])
        expect(outcome(await admin.call(`GET /dashboard${path}`))).toEqual(coded(409, 'proof_too_large'))
      expect(dataOf<AuditEntryPage>(await admin.call('GET /dashboard/audit?only=exports'), 200).items).toEqual([])
    })

    it('is to be forgotten once the address is typed, with a receipt that has no word of the person', async () => {
      const { world, acme, sessions, stranger } = doors()
      const { id, message } = await known('forget@doors.example')
      const erase = (confirm: string, session = sessions.admin) =>
        session.call(`POST /dashboard/profiles/${id}/erasure`, { body: { confirm } })
      const before = (await storedEvents(world.stores.store)).length
      for (const wrong of ['forget@doors.exampl', '', id, HOSTILE]) expect((await erase(wrong)).status).toBe(400)
      expect(outcome(await erase('forget@doors.example', stranger))).toEqual(uncoded(404, 'Contact not found'))
      expect((await storedEvents(world.stores.store)).length).toBe(before)
      expect(outcome(await sessions.admin.call(`GET /dashboard/erasures/${id}`))).toEqual(uncoded(404, 'Erasure not found'))

      expect(dataOf(await erase(' Forget@DOORS.example '), 202)).toEqual({ contactId: id })
      expect(outcome(await sessions.admin.call(`GET /dashboard/profiles/${id}`)).status).toBe(404)
      expect(outcome(await erase('forget@doors.example'))).toEqual(uncoded(404, 'Contact not found'))
      const read = async () => dataOf<Erasure>(await sessions.admin.call(`GET /dashboard/erasures/${id}`), 200)
      expect(await read()).toMatchObject({ state: 'running', askedBy: 'admin@doors.example', finishedAt: null })
      expect(outcome(await sessions.admin.call(`GET /dashboard/erasures/${id}/receipt`))).toEqual(coded(409, 'erasure_not_finished'))

      const workspaceId = asWorkspaceId(acme.applied.workspace.id)
      await erasePerson(world.stores, { workspaceId, contactId: asContactId(id) })
      const whole = await read()
      expect(whole).toMatchObject({ state: 'finished', stays: { consents: 2, messages: 1 }, waitsFor: [] })
      expect(whole.cleared).toContainEqual({ place: 'lists', cleared: 1 })
      const page = dataOf<ErasurePage>(await sessions.admin.call('GET /dashboard/erasures'), 200)
      expect(page.items).toContainEqual({ contactId: id, state: 'finished', askedAt: expect.any(String), finishedAt: whole.finishedAt })
      expect(JSON.stringify(await stranger.call('GET /dashboard/erasures'))).not.toContain(id)
      expect(outcome(await stranger.call(`GET /dashboard/erasures/${id}`))).toEqual(uncoded(404, 'Erasure not found'))

      const receipt = await (await download(`/erasures/${id}/receipt`)).text()
      const { signature, ...unsigned } = JSON.parse(receipt) as Readonly<{ signature: string }>
      const key = await openLogKey(world.stores.keyRing)
      expect(key.isSigned(unsigned, signature)).toBe(true)
      expect(key.isSigned({ ...unsigned, contactId: message }, signature)).toBe(false)
      expect(receipt).not.toMatch(/forget|admin@|script/)
      expect(unsigned).toMatchObject({ format: 'tidings erasure receipt v1', contactId: id, keyDestroyed: true })
    })

    it('is listed in pages, and a cursor of nothing is refused', async () => {
      const { sessions } = doors()
      const pages: string[] = []
      for (let after = ''; ; ) {
        const page = dataOf<ErasurePage>(await sessions.admin.call(`GET /dashboard/erasures?limit=1${after}`), 200)
        pages.push(...page.items.map(({ contactId }) => contactId))
        if (page.next_cursor === null) break
        after = `&after=${page.next_cursor}`
      }
      const all = dataOf<ErasurePage>(await sessions.admin.call('GET /dashboard/erasures?limit=100'), 200)
      expect(pages).toEqual(all.items.map(({ contactId }) => contactId))
      expect(pages.length).toBeGreaterThan(0)
      for (const after of ['x', Buffer.from("1 '").toString('base64url')])
        expect((await sessions.admin.call(`GET /dashboard/erasures?after=${after}`)).status).toBe(400)
    })
  })
}
