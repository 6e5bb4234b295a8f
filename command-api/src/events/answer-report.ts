import { waitUntilVisible } from '@tidings/administration'
import type { AppendContext } from '@tidings/codec'
import type { EventIngested } from '@tidings/contracts'
import { type ContactId, type ContactPatch, isNews } from '@tidings/domain'
import type { FastifyReply } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { type Recorded, type Report, recordActivity, recordFirstActivity } from './record-activity.ts'
import { findReported, type Reported } from './resolve-reported.ts'

/** The codes that a report of an event may be refused with, of a client or a connector. */
export const reportRefusals = [
  'contact_not_found',
  'invalid_phone',
  'contact_email_taken',
  'contact_phone_taken',
  'event_properties_too_large',
] as const

/** `details`: of a contact that is created for it. */
type Reporting = Readonly<{
  context: AppendContext
  report: Report
  person: Reported & Readonly<{ contactId?: ContactId }>
  details: ContactPatch
}>

const noContact: EventIngested = { status: 'no_contact', enrolled: 0, contactId: null, created: false }

/** Records a report about a person, enters flows by it, and waits until it can be read. A duplicate changes nothing, and enters no flow. */
export async function answerReport(deps: Dependencies, reply: FastifyReply, reporting: Reporting): Promise<EventIngested> {
  const recorded = await record(deps, reporting)
  if (recorded === null) return noContact
  const { contactId, created, position } = recorded
  const enrolled =
    position === null || !isNews(reporting.report, reporting.context.at) ? 0 : await enterFlows(deps, reporting, { ...recorded, position })
  await waitUntilVisible(deps, reply, { position, projections: created ? ['activity_facts', 'profiles'] : ['activity_facts'] })
  return { status: 'ok', enrolled, contactId, created }
}

async function record(deps: Dependencies, { context, report, person, details }: Reporting): Promise<Recorded | null> {
  const { contactId: _, ...reported } = person
  const known = await findReported(deps, context.workspaceId, person)
  const recorded = known === null ? null : await recordActivity(deps, { context, report }, known)
  if (recorded !== null) return recorded
  // No contact, or a person that was erased since they were looked up: the address is that of a stranger.
  if (reported.email === undefined && reported.phone === undefined) return null
  return await recordFirstActivity(deps, { context, report }, { reported, details })
}

/** A crash before this leaves the entering to the consumer of flows, which follows the same event. */
async function enterFlows(
  { enterFlows: enter }: Dependencies,
  { context, report }: Reporting,
  { contactId, activityId, position }: Recorded & Readonly<{ position: NonNullable<Recorded['position']> }>,
): Promise<number> {
  if (enter === undefined) return 0
  return await enter({ context, contactId, activityId, position, event: report.event })
}
