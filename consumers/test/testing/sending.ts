import { type TestDatabase, testDatabase } from '@tidings/testing'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterEach, beforeEach } from 'vitest'
import { openRig, type Rig } from './rig.ts'

/** The database of the running test; the hooks of `setUpSending` set it. */
export let db: TestDatabase
export let sink: SmtpSink
export let rig: Rig

/** Gives each test of a file a database, an SMTP server and a rig with a verified sender. Hooks that a file adds after it end before its own. */
export function setUpSending(): void {
  beforeEach(async () => {
    db = await testDatabase()
    sink = await startSmtpSink()
    rig = await openRig(db.pool)
    await rig.configureSender(true)
  })
  afterEach(async () => {
    await rig.close()
    await sink.stop()
    await db.drop()
  })
}
