import { asWorkspaceId, NIL_ID, Refused } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPasswordOf, unusablePasswordHash } from '../src/password-hash.ts'
import { createSessions } from '../src/sessions.ts'
import { createSignInByLink } from '../src/sign-in.ts'
import { deleteOldLinks, makeSignInLink, signInLinkUrl } from '../src/sign-in-links.ts'
import { CHEAP_HASH, type SignInWorld, signInWorld } from './sign-in.testing.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await signInWorld()
})
afterAll(() => world.stop())

/** A process: it knows of nothing but the stores. */
const newProcess = (localOperators = false) => {
  const commands = world.newCommands()
  const { pool, keyRing } = world
  const sessions = createSessions({ pool, commands, localOperators })
  return { sessions, signIn: createSignInByLink({ pool, commands, sessions, keyRing, localOperators }) }
}

let slugs = 0
const EMAIL = 'owner@acme.example'
const withOwner = async () => {
  const slug = `links-${++slugs}`
  await world.newWorkspace(slug)
  const { workspaceId, user } = await world.setUser(slug, EMAIL)
  const newLink = async (more: Readonly<{ hours?: number; isOperator?: boolean }> = {}) =>
    (await makeSignInLink(world.pool, { workspaceId, user, hours: 1, ...more })).token
  return { slug, workspaceId, user, newLink }
}
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'signed in',
    (error: unknown) => (error instanceof Refused ? error.code : String(error)),
  )

describe('a link', () => {
  it('gives the session that a password gives, in every process, and is stored nowhere', async () => {
    const { slug, workspaceId, user, newLink } = await withOwner()
    const token = await newLink()
    const { user: shown, token: session, browser } = await newProcess().signIn(token)
    const expected = { workspace: { id: workspaceId, slug }, userId: user.userId, email: EMAIL, role: 'owner', isOperator: false }
    expect(shown).toEqual(expected)
    expect(browser).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(await newProcess().sessions.find(session)).toEqual(expected)
    const { rows } = await world.pool.query<{ row: string }>('select t::text as row from ops.sign_in_link t')
    const texts = rows.map(({ row }) => row).join()
    for (const form of [token, Buffer.from(token).toString('hex'), Buffer.from(token, 'base64url').toString('hex')])
      expect(texts).not.toContain(form)
  })

  it('is used once, also where several processes try at the same time', async () => {
    const { newLink, user } = await withOwner()
    const token = await newLink()
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => outcome(newProcess().signIn(token))))
    expect(outcomes.toSorted()).toEqual([...Array.from({ length: 7 }, () => 'link_failed'), 'signed in'])
    expect((await world.pool.query('select from ops.session where user_id = $1', [user.userId])).rowCount).toBe(1)
  })

  it.each(['', 'x', 'A'.repeat(43), `${'A'.repeat(42)}\u0000`, 'x'.repeat(1_024)])('that was never made is refused: %j', async (token) => {
    expect(await outcome(newProcess().signIn(token))).toBe('link_failed')
  })

  it('is refused when its time is over, and an earlier one is not ended by a later one', async () => {
    const { newLink } = await withOwner()
    const [earlier, later] = [await newLink(), await newLink()]
    await world.pool.query("update ops.sign_in_link set expires_at = now() - interval '1 second' where token_hash = sha256($1)", [later])
    expect(await outcome(newProcess().signIn(later))).toBe('link_failed')
    expect(await outcome(newProcess().signIn(earlier))).toBe('signed in')
  })

  const endings: Readonly<Record<string, (slug: string) => Promise<unknown>>> = {
    'another password': (slug) => world.setUser(slug, EMAIL, { passwordHash: `${CHEAP_HASH} ` }),
    'a removal': (slug) => world.removeUser(slug, EMAIL),
    'a removal, also when the user comes back without a password': async (slug) => {
      await world.setUser(slug, EMAIL, { passwordHash: unusablePasswordHash() })
      await world.removeUser(slug, EMAIL)
      await world.setUser(slug, EMAIL, { passwordHash: unusablePasswordHash() })
    },
    'the end of the workspace': (slug) => world.change(slug, { type: 'ChangeWorkspaceStatus', data: { status: 'closed' } }),
  }
  it.each(Object.entries(endings))('ends with %s, as all of the user do', async (_, end) => {
    const { slug, newLink } = await withOwner()
    const links = [await newLink(), await newLink({ isOperator: true })]
    await end(slug)
    for (const token of links) expect(await outcome(newProcess(true).signIn(token))).toBe('link_failed')
  })

  it('of a suspended workspace is refused and not used', async () => {
    const { slug, newLink } = await withOwner()
    const token = await newLink()
    await world.change(slug, { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
    expect(await outcome(newProcess().signIn(token))).toBe('link_failed')
    await world.change(slug, { type: 'ChangeWorkspaceStatus', data: { status: 'active' } })
    expect(await outcome(newProcess().signIn(token))).toBe('signed in')
  })

  it('has the role that the user has when it is used', async () => {
    const { slug, newLink } = await withOwner()
    const token = await newLink()
    await world.setUser(slug, EMAIL, { role: 'member' })
    expect((await newProcess().signIn(token)).user.role).toBe('member')
  })
})

describe('a link of an operator', () => {
  it('of a workspace’s user makes an operator where only this machine reaches the service, and nowhere else', async () => {
    const { newLink } = await withOwner()
    const elsewhere = await newProcess(false).signIn(await newLink({ isOperator: true }))
    expect(elsewhere.user.isOperator).toBe(false)
    const { user, token } = await newProcess(true).signIn(await newLink({ isOperator: true }))
    expect(user).toMatchObject({ isOperator: true, role: 'owner', workspace: expect.anything() })
    expect(await newProcess(true).sessions.find(token)).toMatchObject({ isOperator: true })
    // The installation was opened to others meanwhile.
    expect(await newProcess(false).sessions.find(token)).toMatchObject({ isOperator: false })
    const plain = await newProcess(true).signIn(await newLink())
    expect(plain.user.isOperator).toBe(false)
  })

  it('of the installation makes one of no workspace, until the operator is removed', async () => {
    const { workspaceId, user } = await world.setUser(null, 'operator@tidings.example', { passwordHash: unusablePasswordHash() })
    expect(workspaceId).toBe(asWorkspaceId(NIL_ID))
    const { token } = await makeSignInLink(world.pool, { workspaceId, user, hours: 1 })
    const { user: shown, token: session } = await newProcess().signIn(token)
    expect(shown).toMatchObject({ workspace: null, isOperator: true, email: 'operator@tidings.example' })
    expect(await newProcess().sessions.find(session)).toEqual(shown)
    await world.setUser(null, 'operator@tidings.example', { passwordHash: unusablePasswordHash() })
    expect(await newProcess().sessions.find(session)).toBeNull()
  })
})

it('a user has 50 links at most: the oldest ends', async () => {
  const { newLink, user } = await withOwner()
  const first = await newLink()
  await world.pool.query("update ops.sign_in_link set created_at = created_at - interval '1 minute' where token_hash = sha256($1)", [first])
  for (let n = 0; n < 50; n++) await newLink()
  expect(await outcome(newProcess().signIn(first))).toBe('link_failed')
  expect((await world.pool.query('select from ops.sign_in_link where user_id = $1', [user.userId])).rowCount).toBe(50)
})

it('what is over is deleted, in bounded steps', async () => {
  await world.pool.query('truncate ops.sign_in_link')
  const { newLink } = await withOwner()
  for (let n = 0; n < 3; n++) await newLink()
  await world.pool.query("update ops.sign_in_link set expires_at = now() - interval '1 second'")
  const alive = await newLink()
  expect(await deleteOldLinks(world.pool, 2)).toBe(2)
  expect(await deleteOldLinks(world.pool, 10)).toBe(1)
  expect(await outcome(newProcess().signIn(alive))).toBe('signed in')
})

it('no password fits the hash of a user who signs in by a link, and no two have the same', async () => {
  const hash = unusablePasswordHash()
  for (const password of ['', 'password', hash]) expect(await isPasswordOf(hash, password)).toBe(false)
  expect(unusablePasswordHash()).not.toBe(hash)
})

it('the token stands where no server sees it', () => {
  expect(new URL(signInLinkUrl('https://acme.example/tidings', 'abc'))).toMatchObject({
    pathname: '/tidings/dashboard/link',
    hash: '#abc',
    search: '',
  })
})
