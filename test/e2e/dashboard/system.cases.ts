import type { SignedIn, SystemState } from '@tidings/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { profilesOf } from '../support/profiles.ts'
import { call, newLink, type Session, sessionOf } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; operator: Session }>

const OWNER = 'owner@system.example'
const FILE = `users: [{ email: ${OWNER}, password: correct horse battery, role: owner }]`

/** What operators see of the installation. */
export function systemCases(doors: () => Doors): void {
  describe('the installation', () => {
    let client: Client
    const signsIn = async (isOperator: boolean) => {
      const { world } = doors()
      const token = await newLink(world.stores, client, OWNER, { isOperator })
      return sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }), world.settle)
    }
    beforeAll(async () => {
      client = await doors().world.workspace('system', FILE)
    })

    it('shows an operator what runs, what is behind and what waits', async () => {
      const read = async () => dataOf<SystemState>(await doors().operator.call('GET /dashboard/system'), 200)
      const before = await read()
      expect(before.processes.flatMap(({ roles }) => roles)).toContain('command-api')
      expect(before.projections.map(({ name }) => name)).toEqual(expect.arrayContaining(['profiles', 'messages', 'webhooks']))
      expect(before.consumers.length).toBeGreaterThan(0)
      await profilesOf(client).create({ email: 'noa@system.example' })
      const after = await read()
      expect(BigInt(after.head)).toBeGreaterThan(BigInt(before.head))
      expect(after.proof.fingerprint).toBe(before.proof.fingerprint)
      expect(JSON.stringify(after)).not.toContain('noa@')
    })

    it('is shown to an owner whose link is an operator’s as well, beside their workspace, and to no other owner', async () => {
      const both = await signsIn(true)
      expect(dataOf<SignedIn>(await both.call('GET /auth/session'), 200)).toMatchObject({ operator: true, workspace: { slug: 'system' } })
      expect((await both.call('GET /dashboard/system')).status).toBe(200)
      expect((await both.call('GET /dashboard/lists')).status).toBe(200)
      const owner = await signsIn(false)
      expect(outcome(await owner.call('GET /dashboard/system'))).toEqual(coded(403, 'operator_required'))
    })
  })
}
