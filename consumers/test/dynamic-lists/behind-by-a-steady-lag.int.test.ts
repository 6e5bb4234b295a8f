import { asListId, list, listStream } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startDynamicLists } from '../../src/dynamic-lists/start-dynamic-lists.ts'
import { recordingLogger } from '../testing/recording-logger.ts'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'

let db: TestDatabase
let rig: Rig
beforeEach(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
})
afterEach(async () => {
  await rig.close()
  await db.drop()
})

const configure = async (value: string): Promise<void> => {
  const listId = asListId(crypto.randomUUID())
  const data = { listId, name: value, listType: 'dynamic', rule: { field: 'firstName', op: 'eq', value } } as const
  const context = { commandId: crypto.randomUUID(), workspaceId: WORKSPACE, actor: 'test', requestId: 'r', at: new Date().toISOString() }
  await rig.runner.execute({
    decider: list,
    stream: listStream(WORKSPACE, listId),
    command: { type: 'ConfigureList', data },
    context,
  })
}

it('brings rules to the contacts while the read side shows, at every look, less than the log has by then', async () => {
  await configure('Ada')
  let shown: Position = { commit: (await rig.log.head()).commit - 1n, prepare: 0n }
  const asked: bigint[] = []
  const reads = {
    wait: async (position: Position | null) => {
      const isShown = position === null || comparePositions(position, shown) <= 0
      if (position !== null) asked.push(position.commit)
      // What comes now is shown at the next look, when there is more again.
      await configure(`Ada ${asked.length}`)
      shown = { commit: (await rig.log.head()).commit - 1n, prepare: 0n }
      return isShown ? ('visible' as const) : ('pending' as const)
    },
  }
  const lists = startDynamicLists({
    ...{ log: rig.log, pool: db.pool, requestPool: db.pool, commands: rig.runner },
    ...{ reads, idleMs: 20, logger: recordingLogger() },
  })
  await until(async () => expect((await db.pool.query('select from lists.run where is_ready')).rowCount).toBeGreaterThan(2))
  await lists.stop()
})
