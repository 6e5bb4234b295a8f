import { user, userStream, workspace, workspaceStream } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSessions, deleteOldSessions } from '../src/sessions.ts'
import { CHEAP_HASH, type SignInWorld, signInWorld } from './sign-in.testing.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await signInWorld()
})
afterAll(() => world.stop())

let slugs = 0
/** A user of a new workspace with a session, and two processes that know of nothing but the stores. */
const signedIn = async () => {
  const slug = `acme-${++slugs}`
  await world.newWorkspace(slug)
  const { workspaceId, userId } = await world.setUser(slug, 'owner@acme.example')
  const [one, other] = [world.newCommands(), world.newCommands()].map((commands) => createSessions({ pool: world.pool, commands }))
  if (one === undefined || other === undefined) throw new Error('two were made')
  const begin = async () => {
    const commands = world.newCommands()
    const { state } = await commands.load({ decider: user, stream: userStream(workspaceId, userId), workspaceId })
    const tenant = await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
    if (state === null) throw new Error('the user is there')
    return one.begin({ workspaceId, user: state, workspace: tenant.state })
  }
  return { slug, workspaceId, userId, one, other, begin, token: await begin() }
}
const age = (column: 'used_at' | 'created_at', interval: string) =>
  world.pool.query(`update ops.session set ${column} = ${column} - $1::interval`, [interval])

describe('a session', () => {
  it('stands for its user in every process, and its token is stored nowhere', async () => {
    const { one, other, token, slug, workspaceId, userId } = await signedIn()
    const expected = { workspace: { id: workspaceId, slug }, userId, email: 'owner@acme.example', role: 'owner', isOperator: false }
    expect(await one.find(token)).toEqual(expected)
    expect(await other.find(token)).toEqual(expected)
    const { rows } = await world.pool.query<{ row: string }>('select t::text as row from ops.session t')
    const texts = rows.map(({ row }) => row).join()
    expect(texts).not.toContain(token)
    expect(texts).not.toContain(Buffer.from(token).toString('hex'))
    expect(texts).not.toContain(Buffer.from(token, 'base64url').toString('hex'))
  })

  it.each(['', 'x', 'x'.repeat(43), `${'x'.repeat(42)}\u0000`, 'x'.repeat(10_000)])('is none: %j', async (token) => {
    const { one } = await signedIn()
    expect(await one.find(token)).toBeNull()
  })

  it('has the role that the user has now', async () => {
    const { other, token, slug } = await signedIn()
    await world.setUser(slug, 'owner@acme.example', { role: 'member' })
    expect(await other.find(token)).toMatchObject({ role: 'member' })
  })

  it('ends in every process when it is ended in one', async () => {
    const { one, other, token, begin } = await signedIn()
    const second = await begin()
    await one.end(token)
    expect(await other.find(token)).toBeNull()
    expect(await other.find(second)).not.toBeNull()
  })

  const endings: Readonly<Record<string, (slug: string) => Promise<unknown>>> = {
    'another password': (slug) => world.setUser(slug, 'owner@acme.example', { passwordHash: `${CHEAP_HASH} ` }),
    'a removal, also when the user comes back': async (slug) => {
      await world.removeUser(slug, 'owner@acme.example')
      await world.setUser(slug, 'owner@acme.example', { passwordHash: `${CHEAP_HASH} ` })
    },
    'a suspension, also when the workspace is resumed': async (slug) => {
      await world.change(slug, { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
      await world.change(slug, { type: 'ChangeWorkspaceStatus', data: { status: 'active' } })
    },
    'the end of the workspace': (slug) => world.change(slug, { type: 'ChangeWorkspaceStatus', data: { status: 'closed' } }),
  }
  it.each(Object.entries(endings))('ends in every process with %s', async (_, end) => {
    const { one, other, token, slug } = await signedIn()
    expect(await other.find(token)).not.toBeNull()
    await end(slug)
    expect([await one.find(token), await other.find(token)]).toEqual([null, null])
  })

  it('lives 12 hours after its last use', async () => {
    const { one, token } = await signedIn()
    for (let n = 0; n < 3; n++) {
      await age('used_at', '11 hours 59 minutes')
      expect(await one.find(token)).not.toBeNull()
    }
    await age('used_at', '12 hours')
    expect(await one.find(token)).toBeNull()
  })

  it('lives 7 days at most, however often it is used', async () => {
    const { one, token } = await signedIn()
    await age('created_at', '6 days 23 hours')
    expect(await one.find(token)).not.toBeNull()
    await age('created_at', '1 hour')
    expect(await one.find(token)).toBeNull()
  })
})

it('a user has 50 sessions at most: the one that was not used for longest ends', async () => {
  const { one, begin, token, userId } = await signedIn()
  await age('used_at', '1 hour')
  const later: string[] = []
  for (let n = 0; n < 50; n++) later.push(await begin())
  expect(await one.find(token)).toBeNull()
  expect(await one.find(later[0] ?? '')).not.toBeNull()
  expect((await world.pool.query('select from ops.session where user_id = $1', [userId])).rowCount).toBe(50)
})

it('what is over is deleted, in bounded steps', async () => {
  await world.pool.query('truncate ops.session')
  const { begin, one } = await signedIn()
  await begin()
  await age('used_at', '12 hours')
  const alive = await begin()
  expect(await deleteOldSessions(world.pool, 1)).toBe(1)
  expect(await deleteOldSessions(world.pool, 10)).toBe(1)
  expect(await one.find(alive)).not.toBeNull()
})
