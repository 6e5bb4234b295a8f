import type { EventLog } from '@tidings/codec'
import { causeOf, type FlowEntry, readContact } from '@tidings/flows'
import { type Job, Unrecoverable, type Verdict } from '@tidings/inbox'
import { isFirstConfirmation } from './first-confirmation.ts'

/** Enters the flows that an event lets its contact into, where the route that recorded it has not (M38); none where the contact is gone by now. */
export async function enterByEvent(
  { log, entry }: Readonly<{ log: EventLog; entry: FlowEntry }>,
  { workspaceId, payload }: Job,
): Promise<Verdict> {
  const at = payload.lastIndexOf('@')
  const [stream, revision] = [payload.slice(0, at), Number(payload.slice(at + 1))]
  const [event] = await log.readStream(workspaceId, stream, { from: revision, limit: 1 })
  if (event?.revision !== revision) throw new Unrecoverable(`the log does not show the event ${payload}, which a job is about`)
  const cause = causeOf(event)
  if (cause === null || (await readContact(log, cause)) === null) return 'done'
  if (event.type === 'SignUpConfirmed' && !(await isFirstConfirmation(log, cause, event))) return 'done'
  await entry.enterFlows(cause)
  return 'done'
}
