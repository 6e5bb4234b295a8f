import { asMessageId } from '@tidings/domain'
import { until } from '@tidings/testing'
import { startSmtpSink } from '@tidings/testing/smtp-sink'
import { beforeEach, expect, test } from 'vitest'
import { db, rig, setUpSending, sink } from '../testing/sending.ts'

setUpSending()
beforeEach(async () => {
  await db.pool.query(`
    create table bundled (kind text);
    create function note_bundle() returns trigger language plpgsql as $$ begin insert into bundled values (new.kind); return new; end $$;
    create trigger note_bundle after insert on inbox.bundle for each row execute function note_bundle()`)
})

/** A process that has looked for jobs once claims what it admits next at once. */
const sendTwo = async (): Promise<void> => {
  for (const name of ['ada', 'lin']) {
    const to = `${name}@example.com`
    const id = asMessageId(await rig.accept(await rig.newContact(to), { to }))
    await until(async () => expect((await rig.messageOf(id)).status).toBe('sent'))
  }
}
const isBundled = async () => ((await db.pool.query('select from bundled')).rowCount ?? 0) > 0

test('of one provider messages are bundled', async () => {
  await rig.consume(sink.url)
  await sendTwo()
  expect(await isBundled()).toBe(true)
})

test('of several each is a row from the start, which gets to whom it goes', async () => {
  const other = await startSmtpSink()
  try {
    await rig.consume(`${sink.url},${other.url}`)
    await sendTwo()
    expect(await isBundled()).toBe(false)
    expect(sink.mails.flatMap(({ to }) => to)).toEqual(['ada@example.com', 'lin@example.com'])
  } finally {
    await other.stop()
  }
})
