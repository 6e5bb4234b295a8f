import { asListId } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { advanceNext } from '../../src/campaigns/advance-next.ts'
import { wake } from '../../src/campaigns/run-table.ts'
import { createSenderIdView } from '../../src/views/sender-id-view.ts'
import { campaignRig, campaignWork } from '../testing/campaign-rig.ts'
import { flowRig } from '../testing/flow-rig.ts'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'
import { withoutLateAnswers } from '../testing/without-late-answers.ts'

let db: TestDatabase
let rig: Rig

beforeEach(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
  await rig.configureSender(true)
})
afterEach(async () => {
  await rig.close()
  await db.drop()
})

const MEMBERS = 40

/** The most recipients of a page that were between their first look and the end of their append, how many contacts were read, and how many got a message. */
async function begunAtOnce(html: string): Promise<Readonly<{ most: number; known: number; begun: number }>> {
  const given = flowRig(rig)
  const campaigns = campaignRig(rig, db.pool)
  await campaigns.prepare()
  const listId = asListId(crypto.randomUUID())
  const members = await Promise.all(Array.from({ length: MEMBERS }, () => given.contact(`${crypto.randomUUID()}@example.com`)))
  await campaigns.members(
    listId,
    members.map((contactId) => ({ contactId })),
  )
  const templateId = await given.template({ html })
  const campaignId = await campaigns.campaign({ listId, templateId, senderAddressId: await campaigns.senderAddressId() })
  await campaigns.move(campaignId, 'start')
  const tx = await db.pool.connect()
  await wake(tx, [{ workspaceId: WORKSPACE, campaignId }])
  tx.release()
  let [looked, appended, most, known] = [0, 0, 0, 0]
  const work = campaignWork(rig, db.pool)
  const watched = {
    ...work,
    senderIds: createSenderIdView(rig.log),
    now: Date.now,
    campaigns: {
      find: (...asked: Parameters<typeof work.campaigns.find>) => {
        looked++
        most = Math.max(most, looked - appended)
        return work.campaigns.find(...asked)
      },
    },
    recipients: {
      readStream: (...asked: Parameters<typeof work.recipients.readStream>) => {
        known++
        return work.recipients.readStream(...asked)
      },
    },
    log: {
      ...rig.log,
      append: async (...asked: Parameters<typeof rig.log.append>) => {
        const result = await rig.log.append(...asked)
        appended++
        return result
      },
    },
  }
  const faults: unknown[] = []
  const advancing = {
    owner: crypto.randomUUID(),
    signal: new AbortController().signal,
    onFault: (error: unknown) => void faults.push(error),
  }
  for (let n = 0; n < 3; n++) await advanceNext(watched, advancing)
  expect(withoutLateAnswers(faults)).toEqual([])
  if (faults.length > 0) {
    // A recipient that was tried again counts twice.
    await db.pool.query('delete from ops.campaign_run')
    return await begunAtOnce(html)
  }
  const messages = await Promise.all(members.map((contactId) => campaigns.message(campaignId, contactId)))
  return { most, known, begun: messages.filter(({ length }) => length > 0).length }
}

test('a page of a small mail is begun together', async () => {
  expect(await begunAtOnce('<p>Hi</p>')).toEqual({ most: MEMBERS, known: MEMBERS, begun: MEMBERS })
})

test('of a large mail no more are begun at once than fit into the memory and the turn of a process', async () => {
  expect(await begunAtOnce(`<p>${'Hi '.repeat(66_000)}</p>`)).toEqual({ most: 10, known: MEMBERS, begun: MEMBERS })
})
