import type { AppendContext } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { Refused, type UserState, user, userStream } from '@tidings/domain'
import type { Pool } from 'pg'
import { createFailures } from './failures.ts'
import { createOwnSessions } from './own-sessions.ts'
import { hashPassword, hasPassword, isPasswordOf } from './password-hash.ts'
import type { Sessions, SignInOrigin } from './sessions.ts'
import { browserMarks, type Digests, type PasswordQueue, tenantOf } from './sign-in.ts'

/** `token`: of the session that asks. `context`: of the user's own workspace. `current`: the password until now. */
type AskedChange = Readonly<{
  token: string
  userId: string
  isOperator: boolean
  password: string
  current?: string | undefined
  origin: SignInOrigin
  context: AppendContext
}>

/**
 * Gives a user another password and begins a session with it: every other one ends, and every link (M40). The current password is wanted where there is one,
 * unless a link stands for it. Refuses with `password_wrong`, `login_slowed`, `user_not_found` or `changed_meanwhile`.
 */
export type ChangeOwnPassword = (asked: AskedChange) => Promise<Readonly<{ token: string; browser: string }>>

/** `check` and `hash`: as `isPasswordOf` and `hashPassword`. */
type ChangeParts = Readonly<{
  pool: Pool
  commands: Pick<CommandRunner, 'load' | 'execute'>
  sessions: Pick<Sessions, 'begin' | 'end'>
  keyRing: Digests
  queue: PasswordQueue
  check?: typeof isPasswordOf
  hash?: typeof hashPassword
}>

type KnownUser = NonNullable<UserState>

export function createChangePassword(parts: ChangeParts): ChangeOwnPassword {
  const { pool, commands, sessions, keyRing, queue, check = isPasswordOf, hash = hashPassword } = parts
  const failures = createFailures(pool)
  const own = createOwnSessions(pool)
  const browserOf = browserMarks(keyRing)

  /** Wrong tries of a session count for its user alone, apart from those of strangers at the sign-in. */
  const checkCurrent = async ({ userId, passwordHash }: KnownUser, { token, current }: AskedChange): Promise<void> => {
    if (!hasPassword(passwordHash) || (await own.cameByLink(token))) return
    if (current === undefined) throw new Refused('password_wrong')
    const counted = await failures.take(`password of ${userId}`)
    if (!(await check(passwordHash, current))) throw new Refused('password_wrong')
    await counted.giveBack()
  }

  const change = async (asked: AskedChange): Promise<Readonly<{ token: string; browser: string }>> => {
    const { userId, isOperator, password, origin, context } = asked
    const { workspaceId } = context
    const stream = userStream(workspaceId, userId)
    const { state: known } = await commands.load({ decider: user, stream, workspaceId })
    if (known === null) throw new Refused('user_not_found')
    await checkCurrent(known, asked)
    const changed = { ...known, passwordHash: await hash(password) }
    // The session begins first, and holds from the event on: no process dies between them with a user signed out.
    const tenant = await tenantOf(commands, workspaceId)
    const token = await sessions.begin({ workspaceId, user: changed, workspace: tenant, isOperator, origin })
    try {
      await commands.execute({
        decider: user,
        stream,
        command: { type: 'ChangePassword', data: { userId, passwordHash: changed.passwordHash } },
        context,
        expects: (state) => state?.passwordHash === known.passwordHash,
      })
    } catch (error) {
      await sessions.end(token)
      throw error
    }
    return { token, browser: await browserOf(workspaceId, changed) }
  }

  return (asked) => queue(`user ${asked.userId}`, () => change(asked))
}
