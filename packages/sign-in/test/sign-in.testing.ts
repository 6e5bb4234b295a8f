import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { workspaceIdOf } from '@tidings/directory'
import {
  asWorkspaceId,
  eventDeclarations,
  NIL_ID,
  type UserRole,
  user,
  userStream,
  type WorkspaceCommand,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { userIdOf } from '../src/find-users.ts'

/** A hash that is as cheap to check as possible: scrypt is not tested here. The password `another` has the hash of no password. */
export const CHEAP_HASH = '$scrypt$ln=4,r=1,p=1$c2FsdHNhbHRzYWx0c2FsdA==$nd5aVtw0KCQVTjA/uX78SviBgTEUzBdfkl2DFC+upyo='
export const PASSWORD = 'correct horse battery'

/** A database with the table of the users' projection, a log, and what an operator does. */
export async function signInWorld() {
  const db: TestDatabase = await testDatabase()
  await db.pool.query('create schema if not exists read')
  await db.pool.query(
    'create table if not exists read.users (workspace_id uuid, id uuid, email text, role text, created_at timestamptz, updated_at timestamptz)',
  )
  const keyRing = memoryKeyRing()
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
  /** Every process has a runner of its own. */
  const newCommands = () => createCommandRunner({ log, deadlineMs: PATIENT_MS })
  const operator = newCommands()
  const context = (workspaceId: WorkspaceId) => ({
    commandId: crypto.randomUUID(),
    workspaceId,
    actor: 'operator',
    requestId: 'test',
    at: '2026-11-23T12:00:00.000Z',
  })
  const change = (slug: string, command: WorkspaceCommand) => {
    const workspaceId = workspaceIdOf(slug)
    return operator.execute({ decider: workspace, stream: workspaceStream(workspaceId), command, context: context(workspaceId) })
  }
  /** `slug`: null for a user of the installation. */
  const setUser = async (
    slug: string | null,
    email: string,
    more: Readonly<{ userId?: string; passwordHash?: string; role?: UserRole }> = {},
  ) => {
    const workspaceId = slug === null ? asWorkspaceId(NIL_ID) : workspaceIdOf(slug)
    const userId = more.userId ?? userIdOf(workspaceId, email)
    const data = { email, passwordHash: CHEAP_HASH, role: 'owner', ...more, userId } as const
    const command = { type: 'ConfigureUser', data } as const
    await operator.execute({ decider: user, stream: userStream(workspaceId, userId), command, context: context(workspaceId) })
    await db.pool.query('delete from read.users where id = $1', [userId])
    await db.pool.query('insert into read.users values ($1, $2, $3, $4, now(), now())', [workspaceId, userId, email, data.role])
    return { workspaceId, userId, user: data }
  }
  return {
    pool: db.pool,
    keyRing,
    newCommands,
    change,
    setUser,
    newWorkspace: (slug: string) =>
      change(slug, {
        type: 'CreateWorkspace',
        data: { workspaceId: workspaceIdOf(slug), slug, name: slug, plan: 'pro', country: 'IL', tracking: false },
      }),
    removeUser: async (slug: string, email: string) => {
      const workspaceId = workspaceIdOf(slug)
      const userId = userIdOf(workspaceId, email)
      const command = { type: 'RemoveUser', data: { userId } } as const
      await operator.execute({ decider: user, stream: userStream(workspaceId, userId), command, context: context(workspaceId) })
      await db.pool.query('delete from read.users where id = $1', [userId])
    },
    stop: async () => {
      await log.close()
      await db.drop()
    },
  }
}

export type SignInWorld = Awaited<ReturnType<typeof signInWorld>>
