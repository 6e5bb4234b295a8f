import { appendContext } from '@tidings/administration'
import { EventIngested, IngestEventBody } from '@tidings/contracts'
import { assertReportable, type Json } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { pointValues } from '../profiles/profile-input.ts'
import { answerReport, reportRefusals } from './answer-report.ts'
import type { Report } from './record-activity.ts'

const schema = {
  operationId: 'events.ingest',
  summary: 'Report what a contact did: a custom event',
  tags: ['events'],
  body: IngestEventBody,
  response: { 200: EventIngested },
}

const config = { dashboard: { role: 'admin' }, refusals: [...reportRefusals, 'event_name_reserved'] } as const

/** Finds or creates the contact, records the event once a minute, enters flows, waits until it can be read (contract: Event ingest). */
export function ingestEvent(app: App, deps: Dependencies): void {
  app.post('/events/ingest', { schema, config }, async (request, reply) => {
    const { event, contactId, email, phone, firstName, lastName, properties = {} } = request.body
    const context = appendContext(request, deps.now())
    const occurredAt = request.momentOf(context.at)
    // What came out of JSON is JSON.
    const report: Report = { event, source: 'api', occurredAt, properties: properties as Readonly<Record<string, Json>>, ownId: null }
    assertReportable(report)
    const { country } = await deps.directory.workspace(context.workspaceId)
    const values = pointValues({ ...(email !== undefined && { email }), ...(phone !== undefined && { phone }) }, country)
    const details = { ...(firstName !== undefined && { firstName }), ...(lastName !== undefined && { lastName }) }
    return await answerReport(deps, reply, {
      context,
      report,
      details,
      person: { ...(contactId !== undefined && { contactId }), ...values },
    })
  })
}
