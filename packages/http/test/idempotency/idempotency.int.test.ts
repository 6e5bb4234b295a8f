import { createHash } from 'node:crypto'
import { Refused } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { App } from '../../src/bare-app.ts'
import { deleteExpiredIdempotency } from '../../src/idempotency/table.ts'
import { acme, demoApp, other } from '../demo-app.fixture.ts'

let db: TestDatabase
let app: App
/** What the work route does next, and what it was asked to do so far. */
let work: (commandId: string) => Promise<{ status: number; data?: unknown }>
let ran: string[] = []

const flip = (plain: Buffer) => Buffer.from(plain.map((byte) => byte ^ 0x55))
/** How a client's key stands in the table. */
const stored = (key: string): string => createHash('sha256').update(key).digest('hex')
const sealer = {
  seal: (_ws: string, plain: Buffer) => flip(plain),
  open: (_ws: string, sealed: Buffer) => flip(sealed),
  digest: (_ws: string, bodyHash: Buffer) => flip(bodyHash),
}

beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(() => {
  ran = []
  work = async () => ({ status: 202, data: { n: ran.length } })
  app = demoApp({ idempotency: { pool: db.pool, sealer } }, (api) => {
    const run = async (commandId: string, reply: { code: (status: number) => unknown }) => {
      ran.push(commandId)
      const { status, data } = await work(commandId)
      reply.code(status)
      return data
    }
    const schema = { body: { type: 'object', properties: { a: { type: 'integer' } } } } as const
    api.post('/work', { schema }, (request, reply) => run(request.commandId, reply))
    api.put('/work', { schema }, (request, reply) => run(request.commandId, reply))
    api.post('/secret', { schema, config: { showsSecret: true } }, (request, reply) => run(request.commandId, reply))
    api.delete('/work', { schema }, async (request, reply) => {
      ran.push(request.commandId)
      return reply.code(204).send()
    })
  })
})
afterEach(async () => {
  await app.close()
  await db.pool.query('truncate ops.idempotency')
})

const send = async (
  key: string,
  body: object | undefined = { a: 1 },
  more: { method?: 'POST' | 'PUT' | 'DELETE'; url?: string; headers?: object } = {},
) => {
  const answer = await app.inject({
    method: more.method ?? 'POST',
    url: more.url ?? '/work',
    headers: { ...acme, ...more.headers, 'idempotency-key': key },
    ...(body ? { payload: body } : {}),
  })
  const json = answer.body === '' ? null : answer.json()
  return { status: answer.statusCode, data: json?.data, code: json?.code, message: json?.message, headers: answer.headers }
}

describe('the same key', () => {
  it('with the same body gives the stored answer, says so, and runs nothing', async () => {
    const first = await send('k1')
    expect(first.headers).not.toHaveProperty('idempotent-replayed')
    const again = await send('k1')
    expect([again.status, again.data, again.headers['idempotent-replayed']]).toEqual([202, { n: 1 }, 'true'])
    expect(again.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(ran).toHaveLength(1)
  })
  it('replays refusals and empty answers as well', async () => {
    work = async () => {
      throw new Refused('profile_not_found')
    }
    await send('k1')
    expect(await send('k1')).toMatchObject({ status: 404, message: 'Profile not found', headers: { 'idempotent-replayed': 'true' } })
    await send('k2', undefined, { method: 'DELETE' })
    const again = await send('k2', undefined, { method: 'DELETE' })
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([204, 'true'])
    expect(ran).toHaveLength(2)
  })
  it('with another body is a conflict', async () => {
    await send('k1')
    expect(await send('k1', { a: 2 })).toMatchObject({ status: 409, code: 'idempotency_key_reused' })
  })
  it('belongs to its workspace, method and path', async () => {
    await send('k1')
    expect((await send('k1', { a: 1 }, { headers: other })).data).toEqual({ n: 2 })
    expect((await send('k1', { a: 1 }, { method: 'PUT' })).data).toEqual({ n: 3 })
    expect((await send('k1', { a: 1 }, { url: '/secret' })).data).toEqual({ n: 4 })
    expect((await send('k1', { a: 1 }, { url: '/work/' })).data).toEqual({ n: 1 })
  })
  it('while the first request runs is asked to wait a second', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    work = async () => {
      await promise
      return { status: 202, data: { is: 'slow' } }
    }
    const first = send('k1')
    await expect.poll(() => ran.length).toBe(1)
    expect(await send('k1')).toMatchObject({ status: 409, code: 'idempotency_in_progress', headers: { 'retry-after': '1' } })
    resolve()
    expect((await first).data).toEqual({ is: 'slow' })
    expect((await send('k1')).data).toEqual({ is: 'slow' })
    expect(ran).toHaveLength(1)
  })
  it('sent twenty times at once runs once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('k1')))
    expect(ran).toHaveLength(1)
    expect(answers.filter(({ status }) => status !== 202 && status !== 409)).toEqual([])
  })
})

describe('a stored row', () => {
  it('has no hash by which the body could be found again, which may be a code of six digits', async () => {
    await send('k1')
    const { rows } = await db.pool.query<{ body_hash: Buffer }>('select body_hash from ops.idempotency')
    const plain = createHash('sha256')
      .update(JSON.stringify({ a: 1 }))
      .digest()
    expect(rows).toEqual([{ body_hash: flip(plain) }])
  })
})

describe('what is not remembered', () => {
  it.each([
    ['503', () => Promise.reject(Object.assign(new Error('away'), { retryable: true })), 503],
    ['500', () => Promise.reject(new Error('bug')), 500],
    ['429', () => Promise.reject(new Refused('otp_cap_reached', { retryAfterSeconds: 9 })), 429],
  ])('a %s: the next attempt runs, under the same command id', async (_what, failing, status) => {
    work = failing
    expect((await send('k1')).status).toBe(status)
    work = async () => ({ status: 202, data: { is: 'ok' } })
    expect(await send('k1')).toMatchObject({ status: 202, data: { is: 'ok' } })
    expect(ran).toHaveLength(2)
    expect(ran[0]).toBe(ran[1])
  })
  it('a 5xx or 429: the key is free for another body too, under a command id of its own', async () => {
    work = () => Promise.reject(Object.assign(new Error('away'), { retryable: true }))
    expect((await send('k1')).status).toBe(503)
    work = () => Promise.reject(new Refused('otp_cap_reached', { retryAfterSeconds: 9 }))
    expect((await send('k1', { a: 2 })).status).toBe(429)
    work = async () => ({ status: 202, data: { is: 'ok' } })
    expect(await send('k1', { a: 3 })).toMatchObject({ status: 202, data: { is: 'ok' } })
    expect(new Set(ran).size).toBe(3)
    // The key belongs to that body from now on.
    expect((await send('k1')).code).toBe('idempotency_key_reused')
    expect((await send('k1', { a: 3 })).headers).toMatchObject({ 'idempotent-replayed': 'true' })
  })
  it('a 503 because the database was away: the key is free once it is back', async () => {
    work = async () => {
      await db.pool.query('alter table ops.idempotency rename to away')
      throw Object.assign(new Error('away'), { retryable: true })
    }
    expect((await send('k1')).status).toBe(503)
    await db.pool.query('alter table ops.away rename to idempotency')
    work = async () => ({ status: 202, data: { is: 'ok' } })
    await expect.poll(async () => (await send('k1', { a: 2 })).status).toBe(202)
  })
  it('a malformed or unauthenticated request: the key stays free', async () => {
    expect((await send('k1', { b: 1 })).status).toBe(400)
    expect((await send('k1', { a: 1 }, { headers: { 'x-api-key': 'nonsense' } })).status).toBe(401)
    expect((await send('k1')).data).toEqual({ n: 1 })
  })
  it('an answer that showed a secret: its replay is a conflict', async () => {
    expect((await send('k1', { a: 1 }, { url: '/secret' })).status).toBe(202)
    expect(await send('k1', { a: 1 }, { url: '/secret' })).toMatchObject({ status: 409, code: 'idempotency_key_reused' })
    expect((await db.pool.query('select answer from ops.idempotency')).rows).toEqual([{ answer: null }])
  })
})

describe('a crash', () => {
  it.each([
    ['after the lease', `now() - interval '1 second'`],
    ['of a lease from a clock that was a day ahead', `lease_until + interval '1 day'`],
  ])('leaves the key to the next request %s, which goes on with the same command id', async (_, leaseUntil) => {
    work = () => new Promise(() => undefined)
    send('k1').catch(() => undefined)
    await expect.poll(() => ran.length).toBe(1)
    expect((await send('k1')).code).toBe('idempotency_in_progress')
    await db.pool.query(`update ops.idempotency set lease_until = ${leaseUntil}`)
    work = async () => ({ status: 202, data: { is: 'healed' } })
    expect((await send('k1', { a: 2 })).code).toBe('idempotency_key_reused')
    expect((await send('k1')).data).toEqual({ is: 'healed' })
    expect(ran[1]).toBe(ran[0])
  })
})

describe('a request that outlives its lease', () => {
  /** Two requests with one key and one body, the second taking over from the first; each ends when the test says how. */
  const takenOver = async () => {
    const ends = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
    work = async () => ({ status: await ends[ran.length - 1]!.promise, data: { n: ran.length } })
    const first = send('k1')
    await expect.poll(() => ran.length).toBe(1)
    await db.pool.query(`update ops.idempotency set lease_until = now() - interval '1 second'`)
    const second = send('k1')
    await expect.poll(() => ran.length).toBe(2)
    expect(ran[1]).toBe(ran[0])
    return { first, second, end: (nth: 0 | 1, status: number) => ends[nth]!.resolve(status) }
  }

  it('and fails does not free the key of the one that took over', async () => {
    const { first, second, end } = await takenOver()
    end(0, 503)
    expect((await first).status).toBe(503)
    expect((await send('k1', { a: 2 })).code).toBe('idempotency_key_reused')
    expect((await send('k1')).code).toBe('idempotency_in_progress')
    end(1, 202)
    expect((await second).status).toBe(202)
    expect((await send('k1')).headers).toMatchObject({ 'idempotent-replayed': 'true' })
    expect(ran).toHaveLength(2)
  })
  it('and succeeds is remembered, whatever becomes of the one that took over', async () => {
    const { first, second, end } = await takenOver()
    end(0, 202)
    expect((await first).status).toBe(202)
    end(1, 503)
    expect((await second).status).toBe(503)
    expect(await send('k1')).toMatchObject({ status: 202, headers: { 'idempotent-replayed': 'true' } })
    expect(ran).toHaveLength(2)
  })
})

describe('two processes', () => {
  it('share the key: one runs, the other is asked to wait, and then gives the stored answer', async () => {
    const elsewhere = demoApp({ idempotency: { pool: db.pool, sealer } }, (api) => {
      const schema = { body: { type: 'object', properties: { a: { type: 'integer' } } } } as const
      api.post('/work', { schema }, async (request) => {
        ran.push(request.commandId)
        return { n: 'elsewhere' }
      })
    })
    const there = () => elsewhere.inject({ method: 'POST', url: '/work', headers: { ...acme, 'idempotency-key': 'k1' }, payload: { a: 1 } })
    const { promise, resolve } = Promise.withResolvers<void>()
    work = async () => {
      await promise
      return { status: 503 }
    }
    const here = send('k1')
    await expect.poll(() => ran.length).toBe(1)
    expect((await there()).json()).toMatchObject({ code: 'idempotency_in_progress' })
    resolve()
    expect((await here).status).toBe(503)
    expect((await there()).json().data).toEqual({ n: 'elsewhere' })
    expect(ran[1]).toBe(ran[0])
    expect(await send('k1')).toMatchObject({ data: { n: 'elsewhere' }, headers: { 'idempotent-replayed': 'true' } })
    await elsewhere.close()
  })
})

describe('the moment of a request', () => {
  const NOW = '2031-01-01T00:00:00.000Z'
  /** Ids of a process whose clock stands: each carries the time of that clock (RFC 9562 §5.7). */
  const idAt = (time: string): string => `${Date.parse(time).toString(16).padStart(12, '0').replace(/^.{8}/, '$&-')}-7000-8000-000000000001`
  const clock = async () => (await db.pool.query<{ at: Date }>('select clock_timestamp() as at')).rows[0]!.at.getTime()
  const momentsOf = (time?: string) => {
    const moments: number[] = []
    const app = demoApp({ idempotency: { pool: db.pool, sealer } }, (api) => {
      api.addHook('onRequest', async (request) => {
        if (time !== undefined) request.ownCommandId = idAt(time)
      })
      const schema = { body: { type: 'object', properties: { a: { type: 'integer' } } } } as const
      api.post('/moment', { schema }, async (request) => {
        moments.push(Date.parse(request.momentOf(NOW)))
        if (moments.length === 1) throw new Error('it died')
        return {}
      })
    })
    const ask = (headers: object = {}, payload = {}) =>
      app.inject({ method: 'POST', url: '/moment', headers: { ...acme, ...headers }, payload })
    return { moments, ask, close: () => app.close() }
  }
  const key = { 'idempotency-key': 'k1' }

  it('is that of the first attempt under its key, also when another takes over minutes later; without a key it is now', async () => {
    const { moments, ask, close } = momentsOf()
    const before = await clock()
    await ask(key)
    const after = await clock()
    await ask(key)
    await ask()
    expect(moments[1]).toBe(moments[0])
    expect(moments[0]).toBeGreaterThanOrEqual(before)
    expect(moments[0]).toBeLessThanOrEqual(after)
    expect(moments[2]).toBe(Date.parse(NOW))
    await close()
  })
  it.each(['2020-02-02T00:00:00Z', '2040-02-02T00:00:00Z'])(
    'is by the clock of the database, where that of the process says %s',
    async (time) => {
      const { moments, ask, close } = momentsOf(time)
      const before = await clock()
      await ask(key)
      const between = await clock()
      await ask(key)
      expect(moments[1]).toBe(moments[0])
      expect(moments[0]).toBeGreaterThanOrEqual(before)
      expect(moments[0]).toBeLessThanOrEqual(between)
      await close()
    },
  )
  it('is another one with another body, and once the key has expired', async () => {
    const { moments, ask, close } = momentsOf()
    await ask(key)
    const first = await clock()
    await ask(key, { a: 2 })
    const second = await clock()
    await db.pool.query(`update ops.idempotency set expires_at = now() - interval '1 second'`)
    await ask(key, { a: 2 })
    expect(moments[1]).toBeGreaterThanOrEqual(first)
    expect(moments[1]).toBeLessThanOrEqual(second)
    expect(moments[2]).toBeGreaterThanOrEqual(second)
    await close()
  })
})

describe('a key', () => {
  it.each(['', 'x'.repeat(256), 'schlüssel', 'a\tb'])('%j is refused', async (key) => {
    expect(await send(key)).toMatchObject({ status: 400, message: 'Idempotency-Key must be 1 to 255 printable ASCII characters' })
    expect(ran).toEqual([])
  })
  it('of 255 printable characters is taken', async () => {
    expect((await send(`~${' !'.repeat(126)}~~`)).status).toBe(202)
  })
})

describe('stored answers', () => {
  it('are sealed', async () => {
    work = async () => ({ status: 202, data: { email: 'person@acme.example' } })
    await send('k1')
    const { rows } = await db.pool.query<{ answer: Buffer }>('select answer from ops.idempotency')
    expect(rows[0]?.answer.includes('person')).toBe(false)
    expect(flip(rows[0]!.answer).toString()).toContain('person@acme.example')
  })
  it('are free again after a day, and the retention job removes them in bounded steps', async () => {
    for (const key of ['k1', 'k2', 'k3']) await send(key)
    await db.pool.query(`update ops.idempotency set expires_at = now() - interval '1 second' where key <> '${stored('k3')}'`)
    expect((await send('k1')).data).toEqual({ n: 4 })
    expect(ran[3]).not.toBe(ran[0])
    await db.pool.query(`update ops.idempotency set expires_at = now() - interval '1 second' where key <> '${stored('k3')}'`)
    expect(await deleteExpiredIdempotency(db.pool, 1)).toBe(1)
    expect(await deleteExpiredIdempotency(db.pool, 100)).toBe(1)
    expect((await db.pool.query('select key from ops.idempotency')).rows).toEqual([{ key: stored('k3') }])
  })
})

describe('without a key', () => {
  it('every request has a command id of its own and leaves no row', async () => {
    const plain = () => app.inject({ method: 'POST', url: '/work', headers: acme, payload: { a: 1 } })
    await plain()
    await plain()
    expect(new Set(ran).size).toBe(2)
    expect((await db.pool.query('select 1 from ops.idempotency')).rows).toEqual([])
  })
})
