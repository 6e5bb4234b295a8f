import type { EventLog, Recorded } from '@tidings/codec'
import { readContact } from '@tidings/directory'
import type { ContactAddedToList } from '@tidings/domain'
import { type Job, Unrecoverable, type Verdict } from '@tidings/jobs'
import { causeOf, type FlowCause } from './cause.ts'
import { isByRule, isFirstConfirmation, joinedUnconfirmed, wasUnconfirmed } from './first-confirmation.ts'
import type { FlowEntry } from './flow-entry.ts'
import type { FlowView } from './flow-view.ts'

type Entering = Readonly<{ log: EventLog; entry: FlowEntry; flows: Pick<FlowView, 'at'> }>

/** Enters the flows that an event lets its contact into, where the route that recorded it has not (M38); none where the contact is gone by now. */
export async function enterByEvent(entering: Entering, { workspaceId, payload }: Job): Promise<Verdict> {
  const { log, entry } = entering
  const at = payload.lastIndexOf('@')
  const [stream, revision] = [payload.slice(0, at), Number(payload.slice(at + 1))]
  const [event] = await log.readStream(workspaceId, stream, { from: revision, limit: 1 })
  if (event?.revision !== revision) throw new Unrecoverable(`the log does not show the event ${payload}, which a job is about`)
  const cause = causeOf(event)
  if (cause === null || (await readContact(log, cause)) === null) return 'done'
  if (isAddition(event) && isByRule(event) && (await wasUnconfirmed(log, cause, event.position))) return 'done'
  if (event.type === 'SignUpConfirmed') {
    if (!(await isFirstConfirmation(log, cause, event))) return 'done'
    await enterLists(entering, cause)
  }
  await entry.enterFlows(cause)
  return 'done'
}

const isAddition = (event: Recorded): event is Recorded<ContactAddedToList> => event.type === 'ContactAddedToList'

/** The contact has confirmed: it joins, as of now, the dynamic lists that it came onto before (M56). Each addition is one cause, however often it is seen. */
const enterLists = async ({ log, entry, flows }: Entering, confirmed: FlowCause): Promise<void> => {
  const known = [...(await flows.at(confirmed.workspaceId, confirmed.position)).values()]
  const listIds = new Set(known.flatMap(({ trigger }) => (trigger.type === 'list_joined' ? [trigger.listId] : [])))
  const { position, at, requestId } = confirmed
  for (const event of await joinedUnconfirmed(log, confirmed, [...listIds])) {
    const cause = causeOf(event)
    if (cause !== null) await entry.enterFlows({ ...cause, position, at, requestId })
  }
}
