import { asContactId, asWorkspaceId, type ContactId, contactStream } from '@tidings/domain'
import { readConsent } from '@tidings/evidence'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels, toProfile } from '@tidings/read-models'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { profilesProjection } from '../src/profiles/profiles.projection.ts'
import { contactLife } from './contact-events.ts'
import type { Step } from './histories.ts'
import { memoryLog, write } from './log.ts'
import { moment } from './recorded.ts'
import { forget, runToHead } from './tables.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

afterAll(() => database.drop())

/** Contacts of two workspaces, some under the same id, each with a life of its own. Clocks do not agree: times go back along the log. */
const lives: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.uuid().map(asWorkspaceId), fc.uuid().map(asWorkspaceId))
  .chain((workspaces) =>
    fc.array(
      fc.tuple(fc.constantFrom(...workspaces), fc.uuid()).chain(([workspaceId, id]) =>
        fc.tuple(contactLife(asContactId(id)), fc.array(fc.nat(50), { minLength: 10, maxLength: 10 })).map(([events, times]) =>
          events.map((event, n) => ({
            workspaceId,
            stream: contactStream(workspaceId, asContactId(id)),
            event,
            at: moment(times[n] ?? 0),
          })),
        ),
      ),
      { minLength: 5, maxLength: 20 },
    ),
  )
  .map((contacts) => contacts.flat())

test('what the log says of the consent of a contact is what its profile shows, for every contact', async () => {
  const { pool } = database
  let profiles = 0
  await fc.assert(
    fc.asyncProperty(lives, async (steps) => {
      const log = memoryLog()
      await write(log, steps)
      await forget(pool, [profilesProjection])
      await runToHead({ pool, log, projections: [profilesProjection] })
      for (const { workspaceId, event } of new Map(steps.map((step) => [step.stream, step])).values()) {
        const { contactId } = event.data as Readonly<{ contactId: ContactId }>
        const profile = await forWorkspace(kyselyOn<ReadModels>(pool), workspaceId)
          .profiles()
          .selectAll()
          .where('id', '=', contactId)
          .executeTakeFirst()
        const found = await readConsent(log, { workspaceId, contactId, at: null })
        expect(found === null).toBe(profile === undefined)
        if (found === null || profile === undefined) continue
        profiles += 1
        const { channels, history } = found
        const saidAt = (channel: string) => history.findLast((entry) => entry.channel === channel)?.at ?? null
        expect(toProfile(profile)).toMatchObject({
          emailConsent: channels.email,
          smsConsent: channels.sms,
          pushConsent: channels.push,
          emailConsentTimestamp: saidAt('email'),
          smsConsentTimestamp: saidAt('sms'),
          pushConsentTimestamp: saidAt('push'),
        })
      }
      await log.close()
    }),
    { numRuns: 15 },
  )
  expect(profiles).toBeGreaterThan(50)
})
