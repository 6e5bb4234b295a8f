import { asContactId, type ContactId } from '@tidings/domain'
import { positionText, START } from '@tidings/event-store'
import { eventStoreDbStore } from '@tidings/event-store/eventstoredb'
import { PATIENT_TIMES, startEventStoreFixture } from '@tidings/testing/eventstoredb'
import { expect, onTestFinished, test } from 'vitest'
import { projection, table } from '../src/index.ts'
import { consent, consents, contextAt, counted, countedNaively, fill, newWorld, OTHERS, OURS, perDay, runOn } from './world.ts'

test('a fold finds what a naive count finds, and a second run has nothing to do', async () => {
  const world = await newWorld()
  const events = await fill(world, 300)
  const first = await runOn(world)
  expect(first).toMatchObject({ events, from: START, to: await world.log.head(), schema: 'analyst_consents', tables: ['per_day'] })
  const expected = await countedNaively(world)
  expect(expected.length).toBeGreaterThan(28)
  expect(await counted(world)).toEqual(expected)
  expect(await runOn(world)).toMatchObject({ events: 0, from: first.to, to: first.to })
  const more = await fill(world, 50)
  expect(await runOn(world)).toMatchObject({ events: more })
  expect(await counted(world)).toEqual(await countedNaively(world))
})

test('the same over EventStoreDB', async () => {
  const fixture = await startEventStoreFixture()
  onTestFinished(() => fixture.close())
  const world = await newWorld(() => eventStoreDbStore({ connectionString: fixture.connectionString, times: PATIENT_TIMES }))
  const events = await fill(world, 40)
  expect(await runOn(world)).toMatchObject({ events, to: await world.log.head() })
  const more = await fill(world, 10)
  expect(await runOn(world)).toMatchObject({ events: more })
  const { rows } = await world.pool.query('select sum(opt_ins)::int as ins, sum(opt_outs)::int as outs from analyst_consents.per_day')
  expect(rows).toEqual([{ ins: 50, outs: 13 }])
})

test('a run follows the log until its signal, and keeps what it applied', async () => {
  const world = await newWorld()
  const before = await fill(world, 20)
  const stopping = new AbortController()
  const { promise: caughtUp, resolve } = Promise.withResolvers<unknown>()
  const running = runOn(world, consents, { follow: true, signal: stopping.signal, onCaughtUp: resolve })
  await caughtUp
  const more = await fill(world, 10)
  await expect.poll(() => counted(world)).toEqual(await countedNaively(world))
  stopping.abort()
  expect(await running).toMatchObject({ events: before + more, to: await world.log.head() })
})

test('a run begins after --from, and of one workspace sees nothing of another', async () => {
  const world = await newWorld()
  await fill(world, 10)
  const from = await world.log.head()
  await fill(world, 10, OTHERS)
  const ours = await fill(world, 8, OURS)
  expect(await runOn(world, consents, { from, workspaceId: OURS })).toMatchObject({ events: ours, from })
  expect(new Set((await counted(world)).map((row) => Object.values(row)[0]))).toEqual(new Set([OURS]))
})

const latest = table({ name: 'latest', columns: { contact_id: 'text', to: 'text', times: 'integer' }, key: ['contact_id'] })

test('a row is inserted, replaced, deleted and made again, within a batch and over batches', async () => {
  const world = await newWorld()
  const made = projection({
    name: 'latest',
    events: ['ContactConsentRecorded'],
    tables: { latest },
    apply({ data: { contactId, to, source } }, { latest }) {
      const before = latest.get(contactId)
      if (source === 'forget') latest.delete(contactId)
      else latest.put({ contact_id: contactId, to, times: (before?.times ?? 0) + 1 })
    },
  })
  const rows = async () => (await world.pool.query(`select contact_id, "to", times from analyst_latest.latest order by 1`)).rows
  const say = (contactId: ContactId, ...sources: readonly string[]) =>
    world.log.append(
      `contact-${contactId}`,
      'any',
      sources.map((source) => consent(contactId, 'subscribed', source)),
      contextAt('2026-01-01T00:00:00.000Z'),
    )
  await say(asContactId('a'), 'x', 'x', 'forget', 'x')
  await say(asContactId('b'), 'x')
  await say(asContactId('quo"te\\d'), 'x')
  await runOn(world, made)
  expect(await rows()).toEqual([
    { contact_id: 'a', to: 'subscribed', times: 1 },
    { contact_id: 'b', to: 'subscribed', times: 1 },
    { contact_id: 'quo"te\\d', to: 'subscribed', times: 1 },
  ])
  await say(asContactId('a'), 'x')
  await say(asContactId('b'), 'forget')
  await say(asContactId('quo"te\\d'), 'x')
  await runOn(world, made)
  expect(await rows()).toEqual([
    { contact_id: 'a', to: 'subscribed', times: 2 },
    { contact_id: 'quo"te\\d', to: 'subscribed', times: 2 },
  ])
})

const tagged = table({
  name: 'tagged',
  columns: { source: 'text', times: 'integer', tags: 'text[]', seen: 'jsonb' },
  key: ['source'],
})

type Mutable = { source: string; times: number; tags: string[]; seen: { contacts: string[] } }

test.each<readonly [string, (row: Mutable) => unknown, string]>([
  ['a column', (row) => row.times++, "read only property 'times'"],
  ['a list', ({ tags }) => tags.push('more'), 'object is not extensible'],
  ['JSON', ({ seen }) => seen.contacts.push('more'), 'object is not extensible'],
])('a fold that changes %s of a row in place is refused, and counts nothing', async (_, change, refusal) => {
  const world = await newWorld()
  const folding = (inPlace: boolean) =>
    projection({
      name: 'tagging',
      events: ['ContactConsentRecorded'],
      tables: { tagged },
      apply({ data: { source } }, { tagged }) {
        const before = tagged.get(source)
        if (inPlace && before !== undefined) change(before as Mutable)
        tagged.put({ ...(before ?? { source, tags: ['first'], seen: { contacts: [] } }), times: (before?.times ?? 0) + 1 })
      },
    })
  const rows = async () => (await world.pool.query('select * from analyst_tagging.tagged')).rows
  const refused = async () => {
    await expect(runOn(world, folding(true))).rejects.toThrow(refusal)
    await expect(runOn(world, folding(true))).rejects.toThrow('tagging.projection.ts could not apply ContactConsentRecorded at')
  }
  await fill(world, 2)
  // The row is one that the fold itself has put, then one that was read from its table.
  await refused()
  expect(await rows()).toEqual([])
  await world.log.append('contact-x', 'any', [consent(asContactId('x'), 'subscribed', 'api')], contextAt('2026-01-01T00:00:00.000Z'))
  await runOn(world, folding(false))
  const kept = await rows()
  await fill(world, 1)
  await refused()
  expect(await rows()).toEqual(kept)
})

test('a table may have a column of any name', async () => {
  const world = await newWorld()
  const numbered = table({ name: 'numbered', columns: { contact_id: 'text', row_number: 'integer' }, key: ['contact_id'] })
  const made = projection({
    name: 'numbered',
    events: ['ContactConsentRecorded'],
    tables: { numbered },
    apply({ data: { contactId } }, { numbered }) {
      numbered.put({ contact_id: contactId, row_number: (numbered.get(contactId)?.row_number ?? 7) + 1 })
    },
  })
  const said = ['a', 'b', 'c'].map((contactId) => consent(asContactId(contactId), 'subscribed', 'api'))
  for (let run = 0; run < 2; run++) {
    await world.log.append('contact-all', 'any', said, contextAt('2026-01-01T00:00:00.000Z'))
    await runOn(world, made)
  }
  const { rows } = await world.pool.query('select * from analyst_numbered.numbered order by 1')
  expect(rows).toEqual(['a', 'b', 'c'].map((contact_id) => ({ contact_id, row_number: 9 })))
})

test('what apply refuses names the event and its position, and nothing of its batch is kept', async () => {
  const world = await newWorld()
  await fill(world, 5)
  const kept = await runOn(world)
  const asked = consent(asContactId('x'), 'subscribed', 'api')
  const undated = { ...asked, data: { ...asked.data, ip: null, userAgent: null } }
  const { position } = await world.log.append('contact-x', 'any', [undated], contextAt('no date'))
  await fill(world, 5)
  await expect(runOn(world)).rejects.toThrow(/per_day|date/)
  const before = await counted(world)
  const refusing = projection({
    name: 'refusing',
    events: ['ContactConsentRecorded'],
    tables: { perDay },
    apply(event) {
      if (event.at === 'no date') throw new Error('there is no day in it')
    },
  })
  await expect(runOn(world, refusing)).rejects.toThrow(`ContactConsentRecorded at ${positionText(position)} (`)
  await expect(runOn(world, refusing)).rejects.toThrow('there is no day in it): nothing of that batch was kept')
  expect(await counted(world)).toEqual(before)
  expect(kept.events).toBeGreaterThan(0)
})

test('an apply that is asynchronous is refused', async () => {
  const world = await newWorld()
  await fill(world, 1)
  const wrong = projection({
    name: 'wrong',
    events: ['ContactConsentRecorded'],
    tables: { perDay },
    apply: async () => undefined,
  })
  await expect(runOn(world, wrong)).rejects.toThrow('it must be synchronous')
})

test('a restart keeps what others were allowed to read: the schema, a table, one column, everybody and with the right to pass it on', async () => {
  const world = await newWorld()
  await fill(world, 20)
  await runOn(world)
  const [reader, other] = [`reader_${crypto.randomUUID().slice(0, 8)}`, `other_${crypto.randomUUID().slice(0, 8)}`]
  for (const role of [reader, other]) await world.pool.query(`create role ${role}`)
  onTestFinished(async () => {
    for (const role of [reader, other]) await world.pool.query(`drop owned by ${role}; drop role ${role}`)
  })
  await world.pool.query(`grant usage on schema analyst_consents to ${reader}, public`)
  await world.pool.query(`grant select on analyst_consents.per_day to ${reader} with grant option`)
  await world.pool.query(`grant select (opt_ins) on analyst_consents.per_day to ${other}`)
  const may = async () => {
    const { rows } = await world.pool.query(
      `select has_schema_privilege($1, 'analyst_consents', 'usage') as usage, has_schema_privilege($2, 'analyst_consents', 'usage') as everybody,
         has_table_privilege($1, 'analyst_consents.per_day', 'select with grant option') as passes,
         has_column_privilege($2, 'analyst_consents.per_day', 'opt_ins', 'select') as one,
         has_column_privilege($2, 'analyst_consents.per_day', 'opt_outs', 'select') as others,
         has_table_privilege($1, 'analyst_consents.per_day', 'delete') as more`,
      [reader, other],
    )
    return rows[0]
  }
  const before = { usage: true, everybody: true, passes: true, one: true, others: false, more: false }
  expect(await may()).toEqual(before)
  await runOn(world, consents, { restart: true })
  expect(await may()).toEqual(before)
  expect(await counted(world)).toEqual(await countedNaively(world))
})
