import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7 } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { workspaceIdOf } from '@tidings/directory'
import { asContactId, type ContactCommand, contact, contactStream } from '@tidings/domain'
import { comparePositions } from '@tidings/event-store'
import { createProgress, readSide } from '@tidings/projections'
import { startProjectors } from '@tidings/projectors'
import { runScript } from '../lib/children.ts'
import { newContext, openEngine } from '../lib/engine.ts'
import { percentile } from '../lib/report.ts'
import type { WriteHistoryAnswer, WriteHistoryInput } from './write-history.ts'

/**
 * One workspace writes a history, from a process of its own; another changes a profile, waits until it can be read, and begins again. All
 * projections have one owner. Without `flood` it is alone for 10 s.
 */
export type BesideFloodInput = Readonly<{ url: string; flood: Omit<WriteHistoryInput, 'url'> | null }>
/** Times in ms until a write can be read. `written`: events a second of the flood. `behindSeconds`: from its last append until every projection shows it. */
export type BesideFlood = Readonly<{ written: number; p50: number; p99: number; most: number; writes: number; behindSeconds: number }>

const WORKSPACE_ID = workspaceIdOf('neighbour')
const ALONE_MS = 10_000

const { url, flood } = JSON.parse(process.argv[2] ?? '{}') as BesideFloodInput
const engine = await openEngine(url)
const progress = createProgress()
const projectors = startProjectors({ log: engine.log, pool: engine.workPool, progress })
const reads = readSide({ pool: engine.pool, progress })
const commands = createCommandRunner({ log: engine.log })
const contactId = asContactId(uuidv7())
const stream = contactStream(WORKSPACE_ID, contactId)

const write = async (command: ContactCommand, isNew = false): Promise<number> => {
  const begun = performance.now()
  const context = { ...newContext(), workspaceId: WORKSPACE_ID }
  const { position } = await commands.execute({ decider: contact, stream, command, context, isNew })
  while ((await reads.wait(position, ['profiles'], { stream })) === 'pending') await sleep(5)
  return performance.now() - begun
}

const writeUntil = async (over: Promise<unknown>): Promise<readonly number[]> => {
  const state = { isOver: false }
  void over.finally(() => {
    state.isOver = true
  })
  const times: number[] = []
  while (!state.isOver)
    times.push(await write({ type: 'UpdateContact', data: { contactId, details: { firstName: `Ada ${times.length}` } } }))
  return times
}

const shownUpTo = async (): Promise<number> => {
  const [begun, head] = [performance.now(), await engine.log.head()]
  const { promise: isShown, resolve } = Promise.withResolvers<void>()
  const look = () => {
    if ([...progress.all().values()].every(({ position }) => comparePositions(position, head) >= 0)) resolve()
  }
  const takeOff = progress.onChange(look)
  look()
  await isShown
  takeOff()
  return (performance.now() - begun) / 1_000
}

await write({ type: 'CreateContact', data: { contactId, details: { firstName: 'Ada' }, source: 'api' } }, true)
const flooding =
  flood === null
    ? sleep(ALONE_MS, 0)
    : runScript<WriteHistoryAnswer>('workers/write-history.ts', { url, ...flood } satisfies WriteHistoryInput).then(
        ({ perSecond }) => perSecond,
      )
const shown = flooding.then(async (written) => ({ written, behindSeconds: await shownUpTo() }))
const times = await writeUntil(shown)
const answer = {
  ...(await shown),
  p50: percentile(times, 0.5),
  p99: percentile(times, 0.99),
  most: Math.max(...times),
  writes: times.length,
}
await reads.close()
await projectors.stop()
await engine.close()
process.stdout.write(`${JSON.stringify(answer satisfies BesideFlood)}\n`)
