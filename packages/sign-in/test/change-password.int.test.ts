import { Refused, user, userStream } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChangePassword } from '../src/change-password.ts'
import { createOwnSessions } from '../src/own-sessions.ts'
import { unusablePasswordHash } from '../src/password-hash.ts'
import { createSessions } from '../src/sessions.ts'
import { createPasswordQueue, createSignInByLink, tenantOf } from '../src/sign-in.ts'
import { makeSignInLink } from '../src/sign-in-links.ts'
import { CHEAP_HASH, PASSWORD, type SignInWorld, signInWorld } from './sign-in.testing.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await signInWorld()
})
afterAll(() => world.stop())

let made = 0
/** A hash that says its password, and its number: another one each time. */
const hash = async (password: string): Promise<string> => `${password}#${++made}`
const check = async (known: string, password: string): Promise<boolean> =>
  known === CHEAP_HASH ? password === PASSWORD : known.split('#')[0] === password

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Refused ? error.code : String(error)),
  )

/** A user of a workspace of its own, and a process that knows of nothing but the stores. */
const withUser = async (passwordHash = CHEAP_HASH) => {
  const slug = `own-${++made}`
  await world.newWorkspace(slug)
  const { workspaceId, userId } = await world.setUser(slug, 'noa@own.example', { passwordHash })
  const commands = world.newCommands()
  const sessions = createSessions({ pool: world.pool, commands })
  const known = async () => {
    const { state } = await commands.load({ decider: user, stream: userStream(workspaceId, userId), workspaceId })
    if (state === null) throw new Error('the user is there')
    return state
  }
  const origin = { ip: '192.0.2.7', agent: 'Firefox' }
  const begin = async () => sessions.begin({ workspaceId, user: await known(), workspace: await tenantOf(commands, workspaceId), origin })
  const link = async () => makeSignInLink(world.pool, { workspaceId, user: await known(), hours: 1 })
  const byLink = async () => {
    const signIn = createSignInByLink({ pool: world.pool, commands, sessions, keyRing: world.keyRing, localOperators: false })
    return (await signIn((await link()).token, origin)).token
  }
  const change = createChangePassword({
    ...{ pool: world.pool, commands, sessions, keyRing: world.keyRing },
    ...{ queue: createPasswordQueue(), check, hash },
  })
  const ask = (token: string, password: string, current?: string) =>
    change({
      ...{ token, userId, isOperator: false, password, current, origin },
      context: { commandId: crypto.randomUUID(), workspaceId, actor: `user:${userId}`, requestId: 'test', at: '2026-11-29T12:00:00.000Z' },
    })
  return { slug, sessions, begin, byLink, link, ask, known }
}

const own = () => createOwnSessions(world.pool)

describe('a new password', () => {
  it('wants the current one, and ends every session but the one that it begins', async () => {
    const { sessions, begin, ask, known } = await withUser()
    const [token, other] = [await begin(), await begin()]
    expect(await codeOf(ask(token, 'a new password'))).toBe('password_wrong')
    expect(await codeOf(ask(token, 'a new password', 'wrong'))).toBe('password_wrong')
    expect((await known()).passwordHash).toBe(CHEAP_HASH)
    expect(await own().list(token)).toHaveLength(2)
    const next = await ask(token, 'a new password', PASSWORD)
    expect([await sessions.find(token), await sessions.find(other)]).toEqual([null, null])
    expect(await sessions.find(next.token)).toMatchObject({ email: 'noa@own.example' })
    expect(await own().list(next.token)).toMatchObject([{ ip: '192.0.2.7', agent: 'Firefox', isThis: true }])
    expect(await check((await known()).passwordHash, 'a new password')).toBe(true)
  })

  it('wants none of a user who has none', async () => {
    const { begin, ask } = await withUser(unusablePasswordHash())
    const next = await ask(await begin(), 'a first password')
    expect(await codeOf(ask(next.token, 'a second one'))).toBe('password_wrong')
    expect(await codeOf(ask(next.token, 'a second one', 'a first password'))).toBe('done')
  })

  it('wants none within an hour after a link, which stands for one that was lost', async () => {
    const { begin, byLink, ask } = await withUser()
    const late = await byLink()
    await world.pool.query("update ops.session set created_at = created_at - interval '1 hour'")
    const token = await byLink()
    expect(await codeOf(ask(late, 'a new password'))).toBe('password_wrong')
    expect(await codeOf(ask(await begin(), 'a new password'))).toBe('password_wrong')
    const next = await ask(token, 'a new password')
    // The session that goes on was begun by no link.
    expect(await own().cameByLink(next.token)).toBe(false)
  })

  it('is slowed down by ten wrong tries of its user alone', async () => {
    const { begin, ask } = await withUser()
    const token = await begin()
    for (let n = 0; n < 10; n++) expect(await codeOf(ask(token, 'a new password', `wrong ${n}`))).toBe('password_wrong')
    expect(await codeOf(ask(token, 'a new password', PASSWORD))).toBe('login_slowed')
    const neighbour = await withUser()
    expect(await codeOf(neighbour.ask(await neighbour.begin(), 'a new password', PASSWORD))).toBe('done')
  })

  it('is the one of two that are chosen at the same moment in two processes', async () => {
    const { slug, begin, known, ask, sessions } = await withUser()
    const tokens = [await begin(), await begin()]
    // The second process has loaded the user when the first has changed the password.
    const change = createChangePassword({
      ...{ pool: world.pool, commands: world.newCommands(), sessions, keyRing: world.keyRing, queue: createPasswordQueue(), hash },
      check: async (wanted, password) => {
        await ask(tokens[0] ?? '', 'the first', PASSWORD)
        return check(wanted, password)
      },
    })
    const { userId } = await known()
    const found = await sessions.find(tokens[1] ?? '')
    const workspaceId = found?.workspace?.id
    if (workspaceId === undefined) throw new Error(`${slug} is there`)
    const second = change({
      ...{
        token: tokens[1] ?? '',
        userId,
        isOperator: false,
        password: 'the second',
        current: PASSWORD,
        origin: { ip: null, agent: null },
      },
      context: { commandId: crypto.randomUUID(), workspaceId, actor: `user:${userId}`, requestId: 'test', at: '2026-11-29T12:00:00.000Z' },
    })
    expect(await codeOf(second)).toBe('changed_meanwhile')
    expect(await check((await known()).passwordHash, 'the first')).toBe(true)
  })
})

describe("a user's sessions", () => {
  it('are ended by their user alone, one or all others', async () => {
    const { begin, sessions } = await withUser()
    const stranger = await (await withUser()).begin()
    const tokens = [await begin(), await begin(), await begin()]
    const [mine = '', second = '', third = ''] = tokens
    const listed = await own().list(mine)
    expect(listed.map(({ isThis }) => isThis).filter(Boolean)).toHaveLength(1)
    const [ofSecond] = (await own().list(second)).filter(({ isThis }) => isThis)
    expect(await own().end(stranger, ofSecond?.id ?? '')).toBe(false)
    expect(await own().end(mine, ofSecond?.id ?? '')).toBe(true)
    expect(await own().end(mine, ofSecond?.id ?? '')).toBe(false)
    expect([await sessions.find(second), (await sessions.find(third)) !== null]).toEqual([null, true])
    await own().endOthers(mine)
    expect((await own().list(mine)).map(({ isThis }) => isThis)).toEqual([true])
    expect(await own().list(stranger)).toHaveLength(1)
  })

  it('are shown while they hold: none of before a suspension', async () => {
    const { slug, begin } = await withUser()
    await begin()
    await world.change(slug, { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
    await world.change(slug, { type: 'ChangeWorkspaceStatus', data: { status: 'active' } })
    expect(await own().list(await begin())).toHaveLength(1)
  })
})
