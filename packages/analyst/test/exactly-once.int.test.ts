import { expect, onTestFinished, test } from 'vitest'
import { projection, type Sql, table } from '../src/index.ts'
import { consents, counted, countedNaively, fill, newWorld, OTHERS, OURS, perDay, runOn, type World } from './world.ts'

const runs = async (world: World): Promise<number> => {
  const { rows } = await world.pool.query<{ n: number }>('select coalesce(sum(n), 0)::int as n from analyst_by_sql.counted')
  return rows[0]?.n ?? 0
}

/** The SQL style: each batch adds the number of its events. */
const bySql = (applyBatch: (count: number, sql: Sql) => Promise<unknown>) =>
  projection({
    name: 'by_sql',
    events: ['ContactConsentRecorded'],
    init: (sql) => sql('create table counted (n integer not null)'),
    applyBatch: (events, sql) => applyBatch(events.length, sql),
  })
const insert = (n: number, sql: Sql) => sql('insert into counted values ($1)', [n])

test('SQL and checkpoint are one transaction', async () => {
  const world = await newWorld()
  const events = await fill(world, 30)
  let refuse = true
  const made = bySql(async (n, sql) => {
    await insert(n, sql)
    if (refuse) throw new Error('not yet')
  })
  await expect(runOn(world, made)).rejects.toThrow(`could not apply ${events} events, the first of them ContactConsentRecorded at`)
  expect(await runs(world)).toBe(0)
  refuse = false
  await runOn(world, made)
  expect(await runs(world)).toBe(events)
  expect(await runOn(world, made)).toMatchObject({ events: 0, tables: ['counted'] })
})

test.each([
  ['commit', 'commit is not for a projection'],
  ['  ROLLBACK', 'rollback is not for a projection'],
  ['end; insert into counted values (9)', 'end is not for a projection'],
  [';commit', 'must begin with its command'],
  ['/* a */ commit', 'must begin with its command'],
  ['insert into counted values (1); commit', 'cannot insert multiple commands'],
  ['do $$ begin commit; end $$', 'invalid transaction termination'],
])('a file cannot end the transaction of its batch: %s', async (statement, refusal) => {
  const world = await newWorld()
  await fill(world, 2)
  const made = bySql(async (n, sql) => {
    await insert(n, sql)
    await sql(statement)
  })
  await expect(runOn(world, made)).rejects.toThrow(refusal)
  expect(await runs(world)).toBe(0)
})

test('an SQL error that the file swallows still keeps the batch from being counted', async () => {
  const world = await newWorld()
  await fill(world, 2)
  const made = bySql(async (n, sql) => {
    await insert(n, sql)
    await sql('select * from nowhere').catch(() => undefined)
  })
  await expect(runOn(world, made)).rejects.toThrow('current transaction is aborted')
  expect(await runs(world)).toBe(0)
})

test('a statement that the file did not wait for is refused after its batch', async () => {
  const world = await newWorld()
  await fill(world, 2)
  let late: Sql | undefined
  await runOn(
    world,
    bySql(async (_, sql) => {
      late = sql
    }),
  )
  await expect(late?.('insert into counted values (1)')).rejects.toThrow('await every call')
})

test('a second run at once is refused, and the first goes on', async () => {
  const world = await newWorld()
  const stopping = new AbortController()
  const { promise: caughtUp, resolve } = Promise.withResolvers<unknown>()
  const first = runOn(world, consents, { follow: true, signal: stopping.signal, onCaughtUp: resolve })
  await caughtUp
  await expect(runOn(world)).rejects.toThrow('Another run fills schema analyst_consents: stop it first')
  await expect(runOn(world, consents, { restart: true })).rejects.toThrow('Another run fills schema')
  const events = await fill(world, 10)
  await expect.poll(() => counted(world)).toEqual(await countedNaively(world))
  stopping.abort()
  expect(await first).toMatchObject({ events })
})

test('two runs that both believe to be alone count nothing twice', async () => {
  const world = await newWorld()
  const events = await fill(world, 30)
  const [inside, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFirst = true
  const made = bySql(async (n, sql) => {
    await insert(n, sql)
    if (!isFirst) return
    isFirst = false
    await sql('select pg_advisory_unlock_all()')
    inside.resolve()
    await go.promise
  })
  const first = runOn(world, made)
  await inside.promise
  expect(await runOn(world, made)).toMatchObject({ events })
  go.resolve()
  await expect(first).rejects.toThrow('Another run has gone on from')
  expect(await runs(world)).toBe(events)
})

test('a run whose connection is cut off between batches goes on, each event once', async () => {
  const world = await newWorld()
  await fill(world, 20)
  const stopping = new AbortController()
  const { promise: caughtUp, resolve } = Promise.withResolvers<unknown>()
  const running = runOn(world, consents, { follow: true, signal: stopping.signal, onCaughtUp: resolve })
  await caughtUp
  await world.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tidings-analyst' and datname = current_database()`,
  )
  await fill(world, 20)
  await expect.poll(() => counted(world)).toEqual(await countedNaively(world))
  stopping.abort()
  expect(await running).toMatchObject({ events: 50 })
})

test('a run that follows waits for its schema while the server still counts its lost connection', async () => {
  const world = await newWorld()
  await fill(world, 4)
  const stopping = new AbortController()
  const { promise: caughtUp, resolve } = Promise.withResolvers<unknown>()
  const running = runOn(world, consents, { follow: true, signal: stopping.signal, onCaughtUp: resolve })
  await caughtUp
  // The lock passes to another connection as the run's own is cut off: for the run the same as a server that has not noticed.
  const holder = await world.pool.connect()
  onTestFinished(() => holder.release(true))
  const held = holder.query(`select pg_advisory_lock(hashtextextended('analyst run analyst_consents', 0))`)
  const waiting = `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
  await expect.poll(async () => (await world.pool.query(waiting)).rowCount).toBe(1)
  const connections = async () =>
    (
      await world.pool.query<{ pid: number }>(
        `select pid from pg_stat_activity where application_name = 'tidings-analyst' and datname = current_database()`,
      )
    ).rows.map(({ pid }) => pid)
  const [lost] = await connections()
  await world.pool.query('select pg_terminate_backend($1)', [lost])
  await held
  await fill(world, 8)
  const tried = new Set<number>()
  const tries = async () => {
    for (const pid of await connections()) if (pid !== lost) tried.add(pid)
    return tried.size
  }
  await Promise.race([running, expect.poll(tries).toBeGreaterThanOrEqual(2)])
  await holder.query('select pg_advisory_unlock_all()')
  await expect.poll(() => counted(world)).toEqual(await countedNaively(world))
  stopping.abort()
  expect(await running).toMatchObject({ events: 15 })
})

test('a changed file, another workspace, start or choice of personal data is refused, and --restart fills the schema anew', async () => {
  const world = await newWorld()
  const events = await fill(world, 12)
  await runOn(world)
  const refusal = 'fill it anew with --restart, or fill another with --schema NAME.'
  await expect(runOn(world, consents, { hash: 'two' })).rejects.toThrow(
    `Schema analyst_consents was filled by another run (consents.projection.ts has changed since): ${refusal}`,
  )
  await expect(runOn(world, consents, { workspaceId: OURS })).rejects.toThrow(`(it holds all workspaces): ${refusal}`)
  await expect(runOn(world, consents, { personal: true })).rejects.toThrow(`(it was filled without --personal): ${refusal}`)
  await expect(runOn(world, consents, { from: { commit: 3n, prepare: 0n } })).rejects.toThrow('(it begins after 00000000000000000000)')
  const other = projection({
    name: 'other',
    events: ['ContactConsentRecorded'],
    tables: { perDay },
    apply: () => undefined,
  })
  await expect(runOn(world, other, { schema: 'analyst_consents' })).rejects.toThrow('(it holds projection consents)')
  expect(await counted(world)).toEqual(await countedNaively(world))
  expect(await runOn(world, consents, { hash: 'two', restart: true })).toMatchObject({ events })
  expect(await counted(world)).toEqual(await countedNaively(world))
  expect(await runOn(world, consents, { hash: 'two', workspaceId: OTHERS, schema: 'elsewhere' })).toMatchObject({ events: 0 })
})

test('a log that ends before the checkpoint is refused', async () => {
  const world = await newWorld()
  await fill(world, 3)
  await runOn(world)
  await world.pool.query('update analyst_consents.tidings_checkpoint set position_commit = position_commit + 1')
  await expect(runOn(world)).rejects.toThrow('it was set back, so fill the schema anew with --restart.')
})

test('an init that fails leaves a schema that the corrected file can begin in', async () => {
  const world = await newWorld()
  const events = await fill(world, 2)
  const broken = projection({
    name: 'by_sql',
    events: ['ContactConsentRecorded'],
    init: async (sql) => {
      await sql('create table counted (n integer not null)')
      await sql('create table counted (n integer not null)')
    },
    applyBatch: async () => undefined,
  })
  await expect(runOn(world, broken)).rejects.toThrow(
    'by_sql.projection.ts cannot begin, its init or its tables were refused: relation "counted" already exists',
  )
  await runOn(world, bySql(insert), { hash: 'two' })
  expect(await runs(world)).toBe(events)
})

test('a fold that fails keeps whole transactions of several batches, and goes on behind them', async () => {
  const world = await newWorld()
  const events = await fill(world, 2_400)
  expect(events).toBe(3_000)
  const total = async (): Promise<number> => {
    const { rows } = await world.pool.query<{ n: number }>('select sum(opt_ins + opt_outs)::int as n from analyst_consents.per_day')
    return rows[0]?.n ?? 0
  }
  const failingAt = (count: number) => {
    const applied = new Set<string>()
    const { apply } = consents
    const failing: NonNullable<typeof apply> = (event, tables) => {
      apply?.(event, tables)
      if (applied.add(event.id).size === count) throw new Error('not this one')
    }
    return runOn(world, { ...consents, apply: failing })
  }
  await expect(failingAt(1_700)).rejects.toThrow('not this one')
  expect(await total()).toBe(0)
  await expect(failingAt(2_700)).rejects.toThrow('not this one')
  expect(await total()).toBe(2_000)
  expect(await runOn(world)).toMatchObject({ events: 1_000 })
  expect(await counted(world)).toEqual(await countedNaively(world))
})

test('a fold whose rows were dropped under it fails, and the checkpoint stays', async () => {
  const world = await newWorld()
  await fill(world, 3)
  await runOn(world)
  await world.pool.query('drop table analyst_consents.per_day')
  await fill(world, 3)
  await expect(runOn(world)).rejects.toThrow('relation "analyst_consents.per_day" does not exist')
})

test('a table that cannot be made is refused when the file is loaded', () => {
  const wrong = () => table({ name: 'x', columns: { n: 'jsonb' }, key: ['n'] })
  expect(wrong).toThrow('table x: n (jsonb) cannot be part of the key')
  expect(() => table({ name: 'tidings_checkpoint', columns: { n: 'text' }, key: ['n'] })).toThrow('call the table something else')
  expect(() => table({ name: 'x', columns: { n: 'text' }, key: ['n'], cachedRows: 0 })).toThrow('from 1 to')
  expect(() => table({ name: 'x"; drop', columns: { n: 'text' }, key: ['n'] })).toThrow('must be lower-case letters')
})
