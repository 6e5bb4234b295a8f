import { createHash, randomUUIDv7 } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MaybePromise } from '@tidings/async'
import { INSTALLATION, Refused, type WorkspaceId } from '@tidings/domain'
import type { FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Pool } from 'pg'
import { JSON_TYPE } from '../errors/error-answers.ts'
import { invalidRequest } from '../errors/problems.ts'
import { createLeaseRenewal, type LeaseRenewal, type RunningLease } from './lease-renewal.ts'
import { type Claimed, claim, type LeasedKey, release, remember, renew, type Scope } from './table.ts'
import { takesIdempotencyKey } from './takes-idempotency-key.ts'

type Answers = Readonly<{ pool: Pool; sealer: Readonly<{ open: (workspaceId: WorkspaceId, sealed: Buffer) => MaybePromise<Buffer> }> }>
type KeptAnswerRow = Readonly<{ method: string; path: string; key: string; answer: Buffer }>

const PAGE = 500

const NEXT = `select method, path, key, answer from ops.idempotency
  where workspace_id = $1 and (key, method, path) > ($2, $3, $4) and answer is not null order by key, method, path limit ${PAGE}`

const FORGET = `update ops.idempotency set answer = null
  where workspace_id = $1 and method = $2 and path = $3 and key = $4 and answer = $5`

/**
 * Forgets every remembered answer of a workspace that says one of these words; a replay of such a request is then 409
 * `idempotency_key_reused`, and nothing is done twice. Answers how many. Opens them all, at most a day's: which of them is about whom is not
 * stored.
 */
export async function forgetAnswers({ pool, sealer }: Answers, workspaceId: WorkspaceId, words: readonly string[]): Promise<number> {
  let forgotten = 0
  for (let after = ['', '', '']; ; ) {
    const { rows } = await pool.query<KeptAnswerRow>(NEXT, [workspaceId, ...after])
    for (const { method, path, key, answer } of rows) {
      const text = (await sealer.open(workspaceId, answer)).toString()
      if (!words.some((word) => text.includes(word))) continue
      forgotten += (await pool.query(FORGET, [workspaceId, method, path, key, answer])).rowCount ?? 0
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return forgotten
    after = [last.key, last.method, last.path]
  }
}

/** A little over a minute: as long as a database that is started again takes. Afterwards the key waits for the same body, or for its expiry. */
const DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000]
const MAX_WAITING = 1_000

/** Frees keys that could not be freed when their answer was given, mostly because the database was away then. Keeps at most 1 000 in mind. */
function createReleaseLater(pool: Pool): (leased: LeasedKey) => void {
  let waiting = 0

  const retry = async (leased: LeasedKey): Promise<void> => {
    for (const delayMs of DELAYS_MS) {
      await sleep(delayMs, undefined, { ref: false })
      const freed = await release(pool, leased).then(
        () => true,
        () => false, // away still, or the pool is closed: the next attempt, or none
      )
      if (freed) return
    }
  }

  return (leased) => {
    if (waiting >= MAX_WAITING) return
    waiting++
    void retry(leased).finally(() => {
      waiting--
    })
  }
}

/**
 * Answers are stored sealed: they can name a person. `open` gets what `seal` made for the same workspace. `digest` gives what is stored of a body's hash:
 * under a secret, because a body with a number or a passcode can be found by trying all of them.
 */
export type Sealer = Readonly<{
  seal: (workspaceId: WorkspaceId, plain: Buffer) => MaybePromise<Buffer>
  open: (workspaceId: WorkspaceId, sealed: Buffer) => MaybePromise<Buffer>
  digest: (workspaceId: WorkspaceId, bodyHash: Buffer) => MaybePromise<Buffer>
}>

export type IdempotencyOptions = Readonly<{ pool: Pool; sealer: Sealer }>

type IdempotencyDependencies = IdempotencyOptions & Readonly<{ renewal: LeaseRenewal; releaseLater: (leased: LeasedKey) => void }>

declare module 'fastify' {
  interface FastifyRequest {
    idempotent: LeasedKey | null
    idempotencyLease: RunningLease | null
    ownCommandId: string | null
  }
}

const KEY = /^[\x20-\x7e]{1,255}$/
const EMPTY_HASH = createHash('sha256').digest()

/** The SHA-256 of what is asked for: the same body against another state of a record (`If-Match`) is another request. */
const contentHash = ({ bodyState, routeOptions, headers }: FastifyRequest): Buffer => {
  const body = bodyState?.hash ?? EMPTY_HASH
  if (routeOptions.config.edits !== true) return body
  return createHash('sha256').update(body).update(`${headers['if-match']}`).digest()
}

/** The installation, where an operator calls a route that acts on no workspace, whether or not their session has one. Null where no workspace is known. */
const keyedWorkspace = ({ user, tenant, routeOptions }: FastifyRequest): WorkspaceId | null => {
  if (user?.actsAsOperator && routeOptions.config.withoutWorkspace) return INSTALLATION
  return tenant === null ? null : tenant.workspaceId
}

/** The key is stored hashed: clients make keys of order numbers and of addresses. */
const scopeOf = (request: FastifyRequest, workspaceId: WorkspaceId, key: string): Scope => {
  const path = request.url.split('?', 1)[0]!.replace(/(?<=.)\/$/, '')
  return { workspaceId, method: request.method, path, key: createHash('sha256').update(key).digest('hex') }
}

const replay = async (reply: FastifyReply, sealer: Sealer, workspaceId: WorkspaceId, claimed: Claimed): Promise<FastifyReply> => {
  if (claimed.kind === 'running') throw new Refused('idempotency_in_progress', { retryAfterSeconds: 1 })
  if (claimed.kind !== 'answered' || claimed.answer === null) throw new Refused('idempotency_key_reused')
  const body = await sealer.open(workspaceId, claimed.answer)
  reply.raw.setHeader('Idempotent-Replayed', 'true')
  reply.code(claimed.status)
  return body.length === 0 ? reply.send() : reply.type(JSON_TYPE).send(body.toString())
}

/** Takes the key, or answers with what the first request answered: then there is a reply. */
const begin = async (
  reply: FastifyReply,
  workspaceId: WorkspaceId,
  { pool, sealer, renewal }: IdempotencyDependencies,
): Promise<FastifyReply | undefined> => {
  const { request } = reply
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string' || !KEY.test(key)) throw invalidRequest('Idempotency-Key must be 1 to 255 printable ASCII characters')
  const scope = scopeOf(request, workspaceId, key)
  const bodyHash = await sealer.digest(workspaceId, contentHash(request))
  const askedAt = performance.now()
  const claimed = await claim(pool, scope, { bodyHash, commandId: request.commandId })
  if (claimed.kind !== 'mine') return replay(reply, sealer, workspaceId, claimed)
  request.idempotent = claimed.leased
  request.idempotencyLease = renewal.begin(claimed.leased, askedAt)
  return undefined
}

const isRemembered = (status: number): boolean => status < 500 && status !== 429

/** An answer that could not be stored is still given: the next attempt runs under the same command id and changes nothing twice. */
const finish = async (reply: FastifyReply, payload: unknown, parts: IdempotencyDependencies, showsSecret: boolean): Promise<void> => {
  const { request } = reply
  const lease = request.idempotencyLease
  if (request.idempotent === null || lease === null) return
  request.idempotent = null
  const leased = await lease.end()
  const { pool, sealer, releaseLater } = parts
  const isText = typeof payload === 'string' || payload === undefined || payload === null
  const isKept = isRemembered(reply.statusCode) && isText
  try {
    if (!isKept) return await release(pool, leased)
    const answer = showsSecret && reply.statusCode < 400 ? null : await sealer.seal(leased.scope.workspaceId, Buffer.from(payload ?? ''))
    await remember(pool, leased, { status: reply.statusCode, answer })
  } catch (error) {
    request.log.warn({ err: error }, 'the answer was not stored under its idempotency key')
    if (!isKept) releaseLater(leased)
  }
}

/** Gives every request its command id: a random one, or under an `Idempotency-Key` the one its first attempt had. */
export const commandIds = fp(
  async (app) => {
    app.decorateRequest('idempotent', null)
    app.decorateRequest('ownCommandId', null)
    app.decorateRequest('idempotencyLease', null)
    app.decorateRequest('momentOf', function (this: FastifyRequest, now: string) {
      return this.idempotent?.firstAt ?? now
    })
    app.decorateRequest('mayStillAct', {
      getter(this: FastifyRequest) {
        return this.idempotencyLease?.isLeased() ?? true
      },
    })
    app.decorateRequest('commandId', {
      getter(this: FastifyRequest) {
        this.ownCommandId ??= randomUUIDv7()
        return this.idempotent?.commandId ?? this.ownCommandId
      },
    })
  },
  { name: 'command-ids' },
)

/** `Idempotency-Key` on every mutating route that has a workspace, or is the installation's (M1). After validation, before the handler. */
export const idempotency = fp<IdempotencyOptions>(
  async (app, options) => {
    const parts: IdempotencyDependencies = {
      ...options,
      renewal: createLeaseRenewal((leased) => renew(options.pool, leased)),
      releaseLater: createReleaseLater(options.pool),
    }
    app.addHook('onRoute', (route) => {
      const methods = [route.method].flat()
      if (!methods.some((method) => takesIdempotencyKey(route.config ?? {}, method))) return
      const showsSecret = route.config?.showsSecret === true
      const take: preHandlerHookHandler = (request, reply, done) => {
        // Most requests have none: no promise for them.
        const workspaceId = request.headers['idempotency-key'] === undefined ? null : keyedWorkspace(request)
        if (workspaceId === null) return done()
        begin(reply, workspaceId, parts).then((answered) => answered ?? done(), done)
      }
      route.preHandler = [take, ...[route.preHandler ?? []].flat()]
      route.onSend = [
        ...[route.onSend ?? []].flat(),
        (request, reply, payload, done) => {
          if (request.idempotent === null) return done(null, payload)
          finish(reply, payload, parts, showsSecret).then(() => done(null, payload), done)
        },
      ]
    })
  },
  { name: 'idempotency', dependencies: ['command-ids', 'bodies', 'authentication'] },
)
