import { asMessageId } from '@tidings/domain'
import { type DeadLetter, redriveDeadLetter, SEND_KINDS, showDeadLetter } from '@tidings/jobs'
import { until } from '@tidings/testing'
import { expect, test } from 'vitest'
import { discardLetter } from '../../src/send/discard-letter.ts'
import { WORKSPACE } from '../testing/rig.ts'
import { db, rig, setUpSending } from '../testing/sending.ts'

setUpSending()

/** A message whose job was set aside; nothing sends it. */
const letterOf = async (email: string) => {
  const messageId = asMessageId(await rig.accept(await rig.newContact(email), {}))
  const { rows } = await db.pool.query<DeadLetter>(
    `insert into ops.dead_letter (source, consumer, workspace_id, reference, lane, seq, payload, error_class, error)
     select 'job', $1, $2, $3, 7, 1, $3, 'TypeError', 'cannot be' returning id`,
    [SEND_KINDS.email.transactional, WORKSPACE, messageId],
  )
  const letter = await showDeadLetter(db.pool, rows[0]?.id ?? '')
  if (letter === null) throw new Error('there is no dead letter')
  return { letter, messageId }
}
const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`
const discarding = () => ({ commands: rig.runner, pool: db.pool })
const stateOf = async ({ id }: DeadLetter) => (await showDeadLetter(db.pool, id))?.state

test('a letter that is tried again before it is discarded stays so, and its message has not failed', async () => {
  const { letter, messageId } = await letterOf('ada@example.com')
  expect(await redriveDeadLetter(db.pool, letter.id)).toBe(true)
  expect(await discardLetter(discarding(), letter, 'too late')).toEqual({ discarded: false, position: null })
  expect([await stateOf(letter), await rig.eventsOf(messageId)]).toEqual(['redriven', ['EmailAccepted']])
})

test('a letter cannot be tried again while its message is being given up', async () => {
  const { letter, messageId } = await letterOf('ada@example.com')
  let retried: Promise<boolean> | undefined
  const load: typeof rig.runner.load = async (of) => {
    retried = redriveDeadLetter(db.pool, letter.id)
    await until(async () => expect((await db.pool.query(WAITING)).rowCount).toBe(1))
    return await rig.runner.load(of)
  }
  expect(await discardLetter({ commands: { ...rig.runner, load }, pool: db.pool }, letter, 'no use')).toMatchObject({ discarded: true })
  expect(await retried).toBe(false)
  expect([await stateOf(letter), await rig.eventsOf(messageId)]).toEqual(['discarded', ['EmailAccepted', 'MessageFailed']])
})

test('a letter stays open where its message could not be given up', async () => {
  const { letter, messageId } = await letterOf('ada@example.com')
  const execute = () => Promise.reject(new Error('the log is away'))
  await expect(discardLetter({ commands: { ...rig.runner, execute }, pool: db.pool }, letter, 'x')).rejects.toThrow('the log is away')
  expect([await stateOf(letter), await rig.eventsOf(messageId)]).toEqual(['open', ['EmailAccepted']])
})

test('more letters than there are connections are discarded at once, each once', async () => {
  const letters: Awaited<ReturnType<typeof letterOf>>[] = []
  for (let n = 0; n <= db.pool.options.max; n++) letters.push(await letterOf(`m${n}@example.com`))
  const all = await Promise.all([...letters, ...letters].map(({ letter }) => discardLetter(discarding(), letter, 'all of them')))
  expect(all.map(({ discarded }) => discarded)).toEqual([...letters.map(() => true), ...letters.map(() => false)])
  for (const { messageId } of letters) expect(await rig.eventsOf(messageId)).toEqual(['EmailAccepted', 'MessageFailed'])
})
