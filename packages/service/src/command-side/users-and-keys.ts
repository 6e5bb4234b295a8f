import type { KeyRing } from '@tidings/codec'
import type { CommandApiDependencies } from '@tidings/command-api'
import type { CommandRunner } from '@tidings/commands'
import { type Config, isLocalDevelopment, publicUrl } from '@tidings/config'
import type { Directory } from '@tidings/directory'
import { sessionAuthentication } from '@tidings/http'
import { counter, eachOf } from '@tidings/observability/metrics'
import { kyselyOn } from '@tidings/postgres'
import { waitForProcesses } from '@tidings/projections'
import { apiKeyRecord, apiKeyRecords, type ReadModels } from '@tidings/read-models'
import {
  createChangePassword,
  createOwnSessions,
  createPasswordQueue,
  createSessions,
  createSignIn,
  createSignInByLink,
} from '@tidings/sign-in'
import type { Pool } from 'pg'

const signIns = counter(
  {
    name: 'tidings_sign_ins_total',
    help: 'Sign-ins by outcome: signed_in, login_failed, login_slowed, login_ambiguous, workspace_not_active, too_many, error',
    labelNames: ['outcome'],
  },
  eachOf('outcome', ['signed_in', 'login_failed', 'login_slowed', 'login_ambiguous', 'workspace_not_active', 'too_many', 'error']),
)

type UserServices = Readonly<{ pool: Pool; commands: CommandRunner; keyRing: KeyRing; directory: Pick<Directory, 'findWorkspace'> }>

/** This is longer than a process without a heartbeat counts as alive. */
const EFFECT_MS = 5_000

/** Users of this process: their sign-in, and what authenticates by a session. */
export function userDependencies(
  config: Pick<Config, 'http' | 'environment'>,
  { pool, commands, keyRing, directory }: UserServices,
): CommandApiDependencies['users'] {
  const { http } = config
  const localOperators = isLocalDevelopment(config)
  const sessions = createSessions({ pool, commands, localOperators })
  const { findWorkspace } = directory
  const ofKnownBrowsers = createPasswordQueue()
  return {
    signIn: createSignIn({ pool, commands, sessions, keyRing, ofKnownBrowsers, onEnd: (outcome) => signIns.inc({ outcome }) }),
    signInByLink: http.dashboard === 1 ? createSignInByLink({ pool, commands, sessions, keyRing, localOperators }) : null,
    ownSessions: createOwnSessions(pool),
    changePassword: createChangePassword({ pool, commands, sessions, keyRing, queue: ofKnownBrowsers }),
    endSession: sessions.end,
    authenticate: sessionAuthentication({ find: sessions.find, findWorkspace, publicUrl: http.publicUrl }),
    secureCookies: publicUrl(http).startsWith('https:'),
  }
}

/** What the routes of API keys read beside the aggregate. */
export function keyDependencies(pool: Pool): CommandApiDependencies['apiKeys'] {
  const db = kyselyOn<ReadModels>(pool)
  return {
    list: (workspaceId) => apiKeyRecords(db, workspaceId),
    find: (workspaceId, keyId) => apiKeyRecord(db, workspaceId, keyId),
    takesEffect: (position) => waitForProcesses(pool, position, { timeoutMs: EFFECT_MS }),
  }
}
