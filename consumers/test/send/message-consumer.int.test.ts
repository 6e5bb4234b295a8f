import { admission, SEND_CHANNELS, SEND_KINDS } from '@tidings/jobs'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageConsumer } from '../../src/send/message-consumer.ts'
import { recorded } from '../testing/recorded.ts'
import { WORKSPACE } from '../testing/rig.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const lanesOf = (kind: string) => ({
  admit: admission(kind),
  admission: () => ({ name: 'admit', call: '$1', values: [], done: () => undefined }),
})
const accepted = (kind: string) => recorded({ type: 'Accepted', data: { messageId: `${kind}-1`, contactId: 'contact-1', kind } }, WORKSPACE)
const WAITING = `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`

test.each(SEND_CHANNELS)(
  '%s of both kinds are admitted in the order in which a transaction with both locks takes them',
  async (channel) => {
    const { transactional, marketing } = SEND_KINDS[channel]
    const [first = '', second = ''] = [transactional, marketing].toSorted()
    const consumer = messageConsumer(channel, {
      recent: { put: () => undefined, clear: () => undefined },
      transactional: lanesOf(transactional),
      marketing: lanesOf(marketing),
    })
    const [other, tx] = [await db.pool.connect(), await db.pool.connect()]
    try {
      await other.query('begin')
      await other.query('select inbox.lock_kind($1)', [first])
      await tx.query('begin')
      const handled = consumer.handle([accepted('transactional'), accepted('marketing')], tx)
      await until(async () => expect((await db.pool.query(WAITING)).rowCount).toBe(1))
      await other.query('select inbox.lock_kind($1)', [second])
      await other.query('commit')
      await handled
      await tx.query('commit')
    } finally {
      other.release(true)
      tx.release(true)
    }
    const { rows } = await db.pool.query<{ kind: string }>('select kind from inbox.job where kind = any ($1) order by kind', [
      [first, second],
    ])
    expect(rows.map(({ kind }) => kind)).toEqual([first, second])
  },
)
