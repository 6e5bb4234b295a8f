import { uuidv7 } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { loadConfig } from '@tidings/config'
import { asContactId, asWorkspaceId, contact, contactStream } from '@tidings/domain'
import { createLog } from '@tidings/observability/log'
import { startProjectors } from '@tidings/projectors'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { erasePerson } from '../../src/operations.ts'
import { openStores, type Stores } from '../../src/stores/open-stores.ts'

const workspaceId = asWorkspaceId(uuidv7())
const contactId = asContactId(uuidv7())

let db: TestDatabase
let stores: Stores
let projectors: ReturnType<typeof startProjectors>

beforeAll(async () => {
  db = await testDatabase()
  const env = { TIDINGS_DATABASE_URL: db.url, TIDINGS_MASTER_KEY: '11'.repeat(32), TIDINGS_LOG_LEVEL: 'error' }
  stores = await openStores({ config: loadConfig(env, null), log: await createLog({ level: 'error' }), mode: 'command' })
})
afterAll(async () => {
  await projectors?.stop()
  await stores?.close()
  await db?.drop()
})

test('a projection that the erasure is of no concern to may stand still', async () => {
  await db.pool.query(`insert into ops.projection_lease (projection, owner, epoch, expires_at) values ('webhooks', 'hung', 1, 'infinity')`)
  projectors = startProjectors({ log: stores.log, pool: stores.workPool })
  const commands = createCommandRunner({ log: stores.log, deadlineMs: PATIENT_MS })
  const stream = contactStream(workspaceId, contactId)
  const context = () => {
    const commandId = uuidv7()
    return { commandId, workspaceId, actor: 'test', requestId: commandId, at: new Date().toISOString() }
  }
  const create = { type: 'CreateContact', data: { contactId, details: { firstName: 'Ada' }, source: 'api' } } as const
  await commands.execute({ decider: contact, stream, command: create, context: context() })
  await commands.execute({ decider: contact, stream, command: { type: 'RequestErasure', data: { contactId } }, context: context() })
  // A try that was killed had taken two memberships away.
  await db.pool.query(`insert into ops.erasure (workspace_id, contact_id, cleared) values ($1, $2, '{"lists": 2}')`, [
    workspaceId,
    contactId,
  ])
  await erasePerson(stores, { workspaceId, contactId })
  const erasure = async () =>
    (await db.pool.query('select finished_at, cleared from ops.erasure where contact_id = $1', [contactId])).rows[0]
  expect(await erasure()).toMatchObject({ finished_at: expect.any(Date), cleared: { lists: 2, flows: 0, 'content of messages': 0 } })
  expect(projectors.progress.of('webhooks')?.state).not.toBe('live')
})
