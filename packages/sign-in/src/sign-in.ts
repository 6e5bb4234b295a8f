import { timingSafeEqual } from 'node:crypto'
import { normalizeEmail } from '@tidings/addresses'
import type { StateLoader } from '@tidings/commands'
import { workspaceIdOf } from '@tidings/directory'
import {
  asWorkspaceId,
  NIL_ID,
  Refused,
  type UserState,
  user,
  userStream,
  type WorkspaceId,
  type WorkspaceState,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { type ReadModels, workspacesOfUser } from '@tidings/read-models'
import type { Pool } from 'pg'
import { createFailures } from './failures.ts'
import { createFairQueue, QueueFull } from './fair-queue.ts'
import { findUser } from './find-users.ts'
import { isPasswordOf, NO_PASSWORD } from './password-hash.ts'
import { credentialOf, type Sessions, type SignedInUser, type SignInOrigin } from './sessions.ts'
import { findLink, linkHash } from './sign-in-links.ts'

/**
 * `workspace`: the slug, where the address is a user of several. `browser`: what an earlier sign-in gave this browser. `client`:
 * who asks, as limits count it; the address that is typed where it is unknown.
 */
type Credentials = Readonly<{
  email: string
  password: string
  workspace?: string
  browser?: string
  client?: string
  origin?: SignInOrigin
}>

/** `browser`: from a browser that shows it the next failures are counted apart from everybody else's. */
type SignedIn = Readonly<{ user: SignedInUser; token: string; browser: string }>

/** Checks a password and begins a session. Refuses with `login_failed`, `login_slowed`, `login_ambiguous` or `workspace_not_active`. */
export type SignIn = (credentials: Credentials) => Promise<SignedIn>

/** Begins the session that a link stands for, once. Refuses with `link_failed`. */
export type SignInByLink = (token: string, origin?: SignInOrigin) => Promise<SignedIn>

export type Digests = Readonly<{ claimDigest: (workspaceId: WorkspaceId, kind: string, value: string) => Promise<string> }>

/** `checkPassword`: as `isPasswordOf`. `onEnd` hears how each ended. */
type SignInParts = Readonly<{
  pool: Pool
  commands: StateLoader
  sessions: Pick<Sessions, 'begin'>
  keyRing: Digests
  checkPassword?: typeof isPasswordOf
  /** The queue of browsers in which a user signed in before. */
  ofKnownBrowsers?: PasswordQueue
  onEnd?: (outcome: string) => void
}>

/**
 * A check takes 128 MiB and some 0.4 s of a thread: one at a time leaves the others, and the memory, to the rest of the service. A caller
 * that would wait for more than 8 others is asked to come again; a caller that floods is refused first. Browsers in which a user signed in before have a
 * queue of their own, which no stranger can fill (M40).
 */
const QUEUE = { maxWaiting: 8, maxOfOne: 3, windowMs: 15 * 60_000 }
export type PasswordQueue = ReturnType<typeof createFairQueue>

export function createPasswordQueue(): PasswordQueue {
  return createFairQueue(QUEUE)
}

/** Operators are its users. An address that is no user anywhere is looked for there, with the same reads and the same check. */
const INSTALLATION = asWorkspaceId(NIL_ID)

type Candidate = Readonly<{ workspaceId: WorkspaceId; state: UserState; isOneOfSeveral: boolean }>
type KnownUser = NonNullable<UserState>

/** Null of the installation. */
export async function tenantOf(commands: StateLoader, workspaceId: WorkspaceId): Promise<WorkspaceState | null> {
  if (workspaceId === INSTALLATION) return null
  return (await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })).state
}

type Begun = Readonly<{ workspaceId: WorkspaceId; user: KnownUser; workspace: WorkspaceState | null; isOperator: boolean }>

const shownUser = ({ workspaceId, user: { userId, email, role }, workspace: tenant, isOperator }: Begun): SignedInUser => ({
  workspace: tenant === null ? null : { id: workspaceId, slug: tenant.slug },
  ...{ userId, email, role },
  isOperator: isOperator || tenant === null,
})

/** No browser is known any more after a change of the password. */
export function browserMarks({ claimDigest }: Digests) {
  return (workspaceId: WorkspaceId, known: KnownUser): Promise<string> =>
    claimDigest(workspaceId, 'known browser', `${known.userId}:${credentialOf(known).toString('hex')}`)
}

export function createSignIn(parts: SignInParts): SignIn {
  const { pool, commands, keyRing, sessions, checkPassword = isPasswordOf, ofKnownBrowsers = createPasswordQueue(), onEnd } = parts
  const db = kyselyOn<ReadModels>(pool)
  const failures = createFailures(pool)
  const ofStrangers = createPasswordQueue()

  /** Takes the first of several workspaces: one password is checked, however many there are. */
  const findCandidate = async (email: string, slug: string | undefined): Promise<Candidate> => {
    const found = slug === undefined ? await workspacesOfUser(db, { email, limit: 3 }) : [workspaceIdOf(slug)]
    // An operator who is a user of a workspace as well signs in to that one here, and to the installation by a link.
    const named = found.filter((id) => id !== INSTALLATION)
    const workspaceId = named[0] ?? INSTALLATION
    const { state } = await findUser(async (loading) => (await commands.load(loading)).state, { workspaceId, email })
    return { workspaceId, state, isOneOfSeveral: named.length > 1 }
  }

  const browserOf = browserMarks(keyRing)

  /** Failures count by the address alone (M40), and apart for a known browser, so that no stranger can keep its user out. */
  const countedAs = async (email: string, { workspaceId, state }: Candidate, shown: string | undefined): Promise<string> => {
    if (shown === undefined || state === null) return `address ${email}`
    const known = await browserOf(workspaceId, state)
    return isSame(known, shown) ? `browser ${known}` : `address ${email}`
  }

  const begin = async (workspaceId: WorkspaceId, known: KnownUser, origin?: SignInOrigin): Promise<SignedIn> => {
    const tenant = await tenantOf(commands, workspaceId)
    if (tenant !== null && tenant.status !== 'active') throw new Refused('workspace_not_active')
    const begun = { workspaceId, user: known, workspace: tenant, isOperator: false }
    const token = await sessions.begin({ ...begun, ...(origin && { origin }) })
    return { user: shownUser(begun), token, browser: await browserOf(workspaceId, known) }
  }

  const check = async ({ email: typed, password, workspace: slug, browser, origin }: Credentials): Promise<SignedIn> => {
    const email = normalizeEmail(typed)
    const candidate = await findCandidate(email, slug)
    const { workspaceId, state } = candidate
    const counted = await failures.take(await countedAs(email, candidate, browser))
    const isRight = await checkPassword(state?.passwordHash ?? NO_PASSWORD, password)
    if (!isRight || state === null) throw new Refused('login_failed')
    await counted.giveBack()
    if (candidate.isOneOfSeveral) throw new Refused('login_ambiguous')
    return await begin(workspaceId, state, origin)
  }

  /** Null for a browser in which no user signed in before, and for one that shows another user's mark. */
  const knownBrowser = async ({ email, workspace: slug, browser }: Credentials): Promise<string | null> => {
    if (browser === undefined) return null
    const counted = await countedAs(normalizeEmail(email), await findCandidate(normalizeEmail(email), slug), browser)
    return counted.startsWith('browser ') ? counted : null
  }

  const checkInOrder = async (credentials: Credentials): Promise<SignedIn> => {
    const known = credentials.browser === undefined ? null : await knownBrowser(credentials)
    if (known !== null) return await ofKnownBrowsers(known, () => check(credentials))
    return await ofStrangers(credentials.client ?? credentials.email, () => check(credentials))
  }

  return async (credentials) => {
    try {
      const done = await checkInOrder(credentials)
      onEnd?.('signed_in')
      return done
    } catch (error) {
      onEnd?.(error instanceof Refused ? error.code : error instanceof QueueFull ? 'too_many' : 'error')
      throw error
    }
  }
}

type ByLinkParts = Readonly<{
  pool: Pool
  commands: StateLoader
  sessions: Pick<Sessions, 'beginByLink'>
  keyRing: Digests
  /** Whether a link of a workspace's user may make an operator's session here. */
  localOperators: boolean
}>

/**
 * A link stands for a user whose password is the one that it was made under: the log is asked, so another password ends all of a user's links, and a
 * removal too. A link that is refused for its workspace's sake is not used.
 */
export function createSignInByLink({ pool, commands, sessions, keyRing, localOperators }: ByLinkParts): SignInByLink {
  const browserOf = browserMarks(keyRing)
  return async (token, origin) => {
    const hash = linkHash(token)
    const link = hash === null ? null : await findLink(pool, hash)
    if (hash === null || link === null) throw new Refused('link_failed')
    const { workspaceId, userId, credential } = link
    const { state: known } = await commands.load({ decider: user, stream: userStream(workspaceId, userId), workspaceId })
    if (known === null || !credentialOf(known).equals(credential)) throw new Refused('link_failed')
    const tenant = await tenantOf(commands, workspaceId)
    if (tenant !== null && tenant.status !== 'active') throw new Refused('link_failed')
    const begun = { workspaceId, user: known, workspace: tenant, isOperator: link.isOperator && localOperators }
    const session = await sessions.beginByLink({ ...begun, ...(origin && { origin }) }, hash)
    if (session === null) throw new Refused('link_failed')
    return { user: shownUser(begun), token: session, browser: await browserOf(workspaceId, known) }
  }
}

const isSame = (known: string, shown: string): boolean => {
  const [one, other] = [Buffer.from(known), Buffer.from(shown)]
  return one.length === other.length && timingSafeEqual(one, other)
}
