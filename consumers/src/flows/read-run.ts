import type { Recorded, StreamReader } from '@tidings/codec'
import { type EnrolmentEvent, type EnrolmentState, enrolment, enrolmentStream, type Run } from '@tidings/domain'
import type { RunRef } from './flow-kinds.ts'

/** A run as the log has it. `lastEventId`: what the next step follows from; `requestId`: of the request that let the contact in. */
export type ReadRun = Readonly<{ ref: RunRef; run: Run; lastEventId: string; requestId: string }>

const PAGE = 256

/** The run that the contact is inside of; null where it is in none. Reads back to where it entered. */
export async function readRun(log: StreamReader, ref: RunRef): Promise<ReadRun | null> {
  const events = await sinceEntry(log, ref)
  const state = events.reduce<EnrolmentState>(enrolment.evolve, enrolment.initialState)
  const [first] = events
  const last = events.at(-1)
  if (state.run === null || first === undefined || last === undefined) return null
  return { ref, run: state.run, lastEventId: last.id, requestId: first.meta.requestId }
}

const sinceEntry = async (log: StreamReader, { workspaceId, flowId, contactId }: RunRef) => {
  const read: Recorded<EnrolmentEvent>[] = []
  for (;;) {
    const before = read.at(-1)?.revision
    const from = before === undefined ? {} : { from: before - 1 }
    const stream = enrolmentStream(workspaceId, flowId, contactId)
    const page = await log.readStream<EnrolmentEvent>(workspaceId, stream, { direction: 'backwards', limit: PAGE, ...from })
    for (const event of page) {
      read.push(event)
      if (event.type === 'ContactEnteredFlow') return read.reverse()
    }
    if (page.length === 0 || read.at(-1)?.revision === 0) return read.reverse()
  }
}
