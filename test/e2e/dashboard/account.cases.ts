import type { Account } from '@tidings/contracts'
import { INSTALLATION, userStream } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { eventsOfWorkspace } from '../support/stored-log.ts'
import { call, cookiesOf, newLink, newOperator, type Session, sessionOf, signIn } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; operator: Session; signedIn: (client: Client, email: string) => Promise<Session> }>

const EMAIL = 'noa@account.example'
const PASSWORD = 'correct horse battery'

/** A member of a workspace of their own. */
export function accountCases(doors: () => Doors): void {
  describe("a user's own account", () => {
    const read = async (session: Session) => dataOf<Account>(await session.call('GET /dashboard/account'), 200)

    it('has a new password in whatever form of Unicode, and where its user is signed in', async () => {
      const { world, operator } = doors()
      const client = await world.workspace('account', `users: [{ email: ${EMAIL}, password: ${PASSWORD}, role: member }]`)
      const token = await newLink(world.stores, client, EMAIL)
      const late = await newLink(world.stores, client, EMAIL)
      const answer = await call(world.url, 'POST /auth/link', {
        body: { token },
        headers: { 'User-Agent': `Hostile <b>${'x'.repeat(600)}` },
      })
      const session = sessionOf(world.url, answer)
      const seen = await read(session)
      expect(seen).toMatchObject({ hasPassword: true, wantsCurrent: false })
      expect(seen.sessions).toMatchObject([{ ip: '127.0.0.1', isThis: true }])
      expect(seen.sessions[0]?.agent).toHaveLength(512)
      expect(JSON.stringify(seen)).not.toContain(session.token)

      const id = client.applied.workspace.id
      const before = await eventsOfWorkspace(world.stores.store, id)
      for (const body of [{}, { password: 'short' }, { password: 'x'.repeat(1_025) }, { password: ['long', 'enough'] }])
        expect((await session.call('POST /dashboard/account/password', { body })).status).toBe(400)
      expect(await eventsOfWorkspace(world.stores.store, id)).toEqual(before)

      const password = 'סיסמה Ünïcödé 🔑'
      const changed = await session.call('POST /dashboard/account/password', { body: { password: password.normalize('NFD') } })
      expect(changed.status).toBe(204)
      const next = sessionOf(world.url, changed)
      expect(Object.keys(cookiesOf(changed)).toSorted()).toEqual(['sender_browser', 'sender_session'])
      expect((await session.call('GET /dashboard/account')).status).toBe(401)
      expect((await call(world.url, 'POST /auth/link', { body: { token: late } })).status).toBe(401)
      expect(await read(next)).toMatchObject({ hasPassword: true, wantsCurrent: true, sessions: [{ isThis: true }] })
      expect(outcome(await next.call('POST /dashboard/account/password', { body: { password: PASSWORD, current: 'wrong' } }))).toEqual(
        coded(400, 'password_wrong'),
      )

      const elsewhere = await signIn(world.url, { email: EMAIL, password: password.normalize('NFC') })
      const [other] = (await read(next)).sessions.filter(({ isThis }) => !isThis)
      expect(
        outcome(await operator.call(`DELETE /dashboard/account/sessions/${other?.id}`, { headers: { 'X-Tidings-Workspace': 'account' } })),
      ).toEqual(uncoded(404, 'Session not found'))
      expect((await next.call(`DELETE /dashboard/account/sessions/${other?.id}`)).status).toBe(204)
      expect((await elsewhere.call('GET /dashboard/account')).status).toBe(401)
      expect((await next.call('DELETE /dashboard/account/sessions')).status).toBe(204)
      expect((await read(next)).sessions).toHaveLength(1)
    })

    it('of an operator needs no workspace: a password is chosen there, and sessions end', async () => {
      const { world } = doors()
      const { token, userId } = await newOperator(world.stores)
      const session = sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }))
      expect(await read(session)).toMatchObject({ hasPassword: false, wantsCurrent: false, sessions: [{ isThis: true }] })
      const changed = await session.call('POST /dashboard/account/password', { body: { password: PASSWORD } })
      expect(changed.status).toBe(204)
      expect((await session.call('GET /dashboard/account')).status).toBe(401)
      const next = sessionOf(world.url, changed)
      expect(await read(next)).toMatchObject({ hasPassword: true, wantsCurrent: true, sessions: [{ isThis: true }] })
      expect((await next.call('DELETE /dashboard/account/sessions')).status).toBe(204)
      const events = await world.stores.log.readStream(INSTALLATION, userStream(INSTALLATION, userId))
      expect(events.map(({ meta }) => meta.actor)).toEqual(['operator', `operator:${userId}`])
    })

    it('of an operator is that of the installation, whichever workspace is named', async () => {
      const { world, operator } = doors()
      await world.workspace('account-2', '')
      const as = { headers: { 'X-Tidings-Workspace': 'account-2' } }
      expect(dataOf<Account>(await operator.call('GET /dashboard/account', as), 200)).toMatchObject({
        hasPassword: false,
        wantsCurrent: false,
      })
    })
  })
}
