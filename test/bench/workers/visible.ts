import { uuidv7 } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { asContactId, contact, contactStream } from '@tidings/domain'
import { createProgress, readSide } from '@tidings/projections'
import { startProjectors } from '@tidings/projectors'
import { closedLoop, type Looped } from '../lib/closed-loop.ts'
import { newContext, openEngine, WORKSPACE_ID } from '../lib/engine.ts'

/**
 * Commands, log and all projections in one process, as the service has them, without HTTP: each caller changes a name of a
 * contact of its own and waits until the profile shows it.
 */
export type VisibleInput = Readonly<{ url: string; callers: number; seconds: number; runs: number }>
export type VisibleAnswer = Readonly<{ runs: readonly Looped[]; pending: number }>

const input = JSON.parse(process.argv[2] ?? '{}') as VisibleInput
const engine = await openEngine(input.url)
const progress = createProgress()
const projectors = startProjectors({ log: engine.log, pool: engine.workPool, progress })
const reads = readSide({ pool: engine.pool, progress })
const commands = createCommandRunner({ log: engine.log })
const state = { changes: 0, pending: 0 }

const contactIds = await Promise.all(
  Array.from({ length: input.callers }, async () => {
    const contactId = asContactId(uuidv7())
    const details = { firstName: 'Ada', lastName: 'Lovelace', tags: ['early'], customProperties: { size: 's' } }
    const command = { type: 'CreateContact', data: { contactId, details, source: 'api' } } as const
    const stream = contactStream(WORKSPACE_ID, contactId)
    await commands.execute({ decider: contact, stream, command, context: newContext(), isNew: true })
    return contactId
  }),
)

const change = async (caller: number): Promise<void> => {
  const contactId = contactIds[caller]!
  const command = { type: 'UpdateContact', data: { contactId, details: { firstName: `Ada ${state.changes++}` } } } as const
  const stream = contactStream(WORKSPACE_ID, asContactId(contactId))
  const { position } = await commands.execute({ decider: contact, stream, command, context: newContext() })
  if ((await reads.wait(position, ['profiles'], { stream })) === 'pending') state.pending++
}

const measure = (): Promise<Looped> => closedLoop({ callers: input.callers, seconds: input.seconds, call: change })

await measure()
state.pending = 0
const runs: Looped[] = []
for (let run = 0; run < input.runs; run++) {
  const looped = await measure()
  runs.push(looped)
  const { perSecond, p50, p99 } = looped
  process.stderr.write(`  ${Math.round(perSecond)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${state.pending} pending\n`)
}
await reads.close()
await projectors.stop()
await engine.close()
process.stdout.write(`${JSON.stringify({ runs, pending: state.pending } satisfies VisibleAnswer)}\n`)
