import { uuidv5 } from '@tidings/codec'
import { workspaceIdOf } from '@tidings/directory'
import { Refused } from '@tidings/domain'
import { isRetryable } from '@tidings/postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { NO_PASSWORD } from '../src/password-hash.ts'
import { createSessions } from '../src/sessions.ts'
import { createSignIn } from '../src/sign-in.ts'
import { CHEAP_HASH, PASSWORD, type SignInWorld, signInWorld } from './sign-in.testing.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await signInWorld()
  for (const slug of ['acme', 'other', 'asleep']) await world.newWorkspace(slug)
  await world.setUser('acme', 'owner@acme.example')
  await world.setUser('acme', 'gone@acme.example')
  await world.removeUser('acme', 'gone@acme.example')
  await world.setUser('other', 'theirs@other.example')
  await world.setUser('acme', 'both@acme.example')
  await world.setUser('other', 'both@acme.example')
  await world.setUser('asleep', 'owner@asleep.example')
  await world.change('asleep', { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
})
afterAll(() => world.stop())
beforeEach(() => world.pool.query('truncate ops.sign_in_failure'))

/** A process that counts what it does for a sign-in. */
const signingIn = () => {
  const checked: string[] = []
  const outcomes: string[] = []
  let loads = 0
  const commands = world.newCommands()
  const signIn = createSignIn({
    pool: world.pool,
    keyRing: world.keyRing,
    commands: {
      load: (loading) => {
        loads++
        return commands.load(loading)
      },
    },
    sessions: createSessions({ pool: world.pool, commands }),
    checkPassword: async (hash, password) => {
      checked.push(hash)
      return hash === CHEAP_HASH && password === PASSWORD
    },
    onEnd: (outcome) => outcomes.push(outcome),
  })
  return { signIn, checked, outcomes, loads: () => loads }
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'signed in',
    (error: unknown) => (error instanceof Refused ? error.code : String(error)),
  )

describe('a sign-in', () => {
  it('needs the password, and no workspace where the address is a user of one', async () => {
    const { signIn, outcomes } = signingIn()
    for (const workspace of [undefined, 'acme']) {
      const { user, token } = await signIn({ email: ' Owner@ACME.example ', password: PASSWORD, ...(workspace && { workspace }) })
      expect(user).toMatchObject({ workspace: { slug: 'acme' }, email: 'owner@acme.example', role: 'owner', isOperator: false })
      expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    }
    expect(outcomes).toEqual(['signed_in', 'signed_in'])
  })

  it.each([
    ['a wrong password', { email: 'owner@acme.example', password: 'another' }],
    ['an unknown address', { email: 'unknown@acme.example', password: PASSWORD }],
    ['a user who was removed', { email: 'gone@acme.example', password: PASSWORD }],
    ['a user of another workspace', { email: 'theirs@other.example', password: PASSWORD, workspace: 'acme' }],
    ['an unknown workspace', { email: 'owner@acme.example', password: PASSWORD, workspace: 'nowhere' }],
    ['what is no address', { email: '\u{1F40E}', password: PASSWORD }],
    ['several workspaces and a wrong password', { email: 'both@acme.example', password: 'another' }],
  ])('is refused alike for %s, after one check and as many reads', async (_, credentials) => {
    const known = signingIn()
    await codeOf(known.signIn({ email: 'owner@acme.example', password: 'another' }))
    const { signIn, checked, loads } = signingIn()
    expect(await codeOf(signIn(credentials))).toBe('login_failed')
    expect(checked).toHaveLength(1)
    expect([CHEAP_HASH, NO_PASSWORD]).toContain(checked[0])
    expect(loads()).toBe(known.loads())
    expect((await world.pool.query('select sum(cardinality(failed))::int as n from ops.sign_in_failure')).rows).toEqual([{ n: 2 }])
  })

  it('asks for the workspace of a user of several, once the password is right', async () => {
    const { signIn, checked } = signingIn()
    expect(await codeOf(signIn({ email: 'both@acme.example', password: PASSWORD }))).toBe('login_ambiguous')
    expect(checked).toHaveLength(1)
    for (const workspace of ['acme', 'other']) {
      const { user } = await signIn({ email: 'both@acme.example', password: PASSWORD, workspace })
      expect(user.workspace?.slug).toBe(workspace)
    }
  })

  it('is one of the installation for an operator, and of the workspace for an operator who is a user of one', async () => {
    const { signIn } = signingIn()
    await world.setUser(null, 'operator@tidings.example')
    const { user } = await signIn({ email: 'operator@tidings.example', password: PASSWORD })
    expect(user).toMatchObject({ workspace: null, isOperator: true })
    await world.setUser(null, 'owner@acme.example', { passwordHash: NO_PASSWORD })
    const { user: same } = await signIn({ email: 'owner@acme.example', password: PASSWORD })
    expect(same).toMatchObject({ workspace: { slug: 'acme' }, isOperator: false })
    await world.setUser(null, 'both@acme.example')
    expect(await codeOf(signIn({ email: 'both@acme.example', password: PASSWORD }))).toBe('login_ambiguous')
  })

  it('says that a workspace is suspended to its own users alone', async () => {
    const { signIn } = signingIn()
    expect(await codeOf(signIn({ email: 'owner@asleep.example', password: PASSWORD }))).toBe('workspace_not_active')
    expect(await codeOf(signIn({ email: 'owner@asleep.example', password: 'another' }))).toBe('login_failed')
  })
})

describe('ten failures', () => {
  const fail = async (signIn: ReturnType<typeof signingIn>['signIn'], email: string) => {
    for (let n = 0; n < 10; n++) expect(await codeOf(signIn({ email, password: 'another' }))).toBe('login_failed')
  }

  it.each(['owner@acme.example', 'unknown@acme.example'])(
    'slow %s down, in every process and workspace, without another check',
    async (email) => {
      const [one, other] = [signingIn(), signingIn()]
      await fail(one.signIn, email)
      expect(await codeOf(other.signIn({ email, password: PASSWORD }))).toBe('login_slowed')
      expect(await codeOf(other.signIn({ email: ` ${email.toUpperCase()}`, password: PASSWORD, workspace: 'other' }))).toBe('login_slowed')
      expect(other.checked).toEqual([])
    },
  )

  it('of a stranger leave a browser in that its user signed in before, until that one fails ten times as well', async () => {
    const { signIn } = signingIn()
    const owner = { email: 'owner@acme.example', password: PASSWORD }
    const { browser } = await signIn(owner)
    await fail(signIn, owner.email)
    expect(await codeOf(signIn(owner))).toBe('login_slowed')
    expect(await codeOf(signIn({ ...owner, browser: `${browser.slice(0, -1)}_` }))).toBe('login_slowed')
    expect(await codeOf(signIn({ ...owner, browser }))).toBe('signed in')
    for (let n = 0; n < 10; n++) await codeOf(signIn({ ...owner, browser, password: 'another' }))
    expect(await codeOf(signIn({ ...owner, browser }))).toBe('login_slowed')
  })

  it('are not made by sign-ins that succeed', async () => {
    const { signIn } = signingIn()
    for (let n = 0; n < 12; n++) expect(await codeOf(signIn({ email: 'owner@acme.example', password: PASSWORD }))).toBe('signed in')
  })
})

it('one password is checked at a time, and who finds 8 waiting is asked to come again', async () => {
  const gate = Promise.withResolvers<void>()
  let running = 0
  let most = 0
  const commands = world.newCommands()
  const signIn = createSignIn({
    pool: world.pool,
    keyRing: world.keyRing,
    commands,
    sessions: createSessions({ pool: world.pool, commands }),
    checkPassword: async () => {
      most = Math.max(most, ++running)
      await gate.promise
      running--
      return false
    },
  })
  const refused = vi.fn()
  const attempt = (n: number) =>
    signIn({ email: `crowd-${n}@acme.example`, password: PASSWORD }).then(
      () => 'signed in',
      (error: unknown) => {
        refused()
        return error instanceof Refused ? error.code : isRetryable(error) ? 'come again' : 'broken'
      },
    )
  const all = Array.from({ length: 30 }, (_, n) => attempt(n))
  await expect.poll(() => running).toBe(1)
  // All have come by now: one is checked, and eight wait.
  await expect.poll(() => refused.mock.calls.length).toBe(21)
  gate.resolve()
  const ends = await Promise.all(all)
  expect(most).toBe(1)
  expect(ends.filter((end) => end === 'login_failed')).toHaveLength(9)
  expect(ends.filter((end) => end === 'come again')).toHaveLength(21)
})

it('a flood of strangers, of every address of theirs, keeps a known browser out no more than anybody new', async () => {
  const { signIn: before } = signingIn()
  const owner = { email: 'owner@acme.example', password: PASSWORD }
  const { browser } = await before(owner)
  const gate = Promise.withResolvers<void>()
  const commands = world.newCommands()
  let strangers = 0
  const signIn = createSignIn({
    pool: world.pool,
    keyRing: world.keyRing,
    commands,
    sessions: createSessions({ pool: world.pool, commands }),
    checkPassword: async (hash, password) => {
      if (password !== PASSWORD) {
        strangers++
        await gate.promise
      }
      return hash === CHEAP_HASH && password === PASSWORD
    },
  })
  const flood = Array.from({ length: 40 }, (_, n) =>
    signIn({ email: `crowd-${n}@acme.example`, password: 'another', client: `192.0.2.${n % 20}` }).catch(() => null),
  )
  await expect.poll(() => strangers).toBe(1)
  // The check of a stranger's password goes on: the known browser waits for none of them.
  expect((await signIn({ ...owner, browser, client: '192.0.2.1' })).user.email).toBe(owner.email)
  gate.resolve()
  await Promise.all(flood)
  expect((await signIn({ ...owner, client: '198.51.100.7' })).user.email).toBe(owner.email)
})

describe('a user whose address is beyond ASCII', () => {
  const address = 'ada@bücher.example'
  const spellings = [address, 'ADA@Bücher.example', 'ada@xn--bcher-kva.example', address.normalize('NFD'), ' ada@ＢÜCHER.example ']
  /** The id as versions before M46 made it: of the address as it was written, in lower case. */
  const olderId = (slug: string, written: string) => uuidv5(`user:${written}`, workspaceIdOf(slug))

  it.each([
    ['in Unicode', 'old', address],
    ['in parts', 'parts', address.normalize('NFD')],
    ['in ASCII', 'ascii', 'ada@xn--bcher-kva.example'],
  ])('of a log from before, %s, signs in by every spelling, with and without its workspace', async (_, slug, written) => {
    await world.newWorkspace(slug)
    const userId = olderId(slug, written)
    // The projection has the address in its one form.
    await world.setUser(slug, address, { userId })
    for (const email of spellings) {
      const { user } = await signingIn().signIn({ email, password: PASSWORD, workspace: slug })
      expect(user.userId).toBe(userId)
      expect(await codeOf(signingIn().signIn({ email, password: 'another', workspace: slug }))).toBe('login_failed')
    }
    await world.pool.query('delete from read.users where id = $1', [userId])
  })

  it('and who is there in two spellings is one user, and the newer', async () => {
    await world.newWorkspace('twice')
    await world.setUser('twice', address, { userId: olderId('twice', address), passwordHash: 'older' })
    const { userId } = await world.setUser('twice', address)
    for (const email of spellings) expect((await signingIn().signIn({ email, password: PASSWORD })).user.userId).toBe(userId)
  })
})
