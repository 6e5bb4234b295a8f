import { appendContext } from '@tidings/administration'
import { EventIngested, StoreEventBody } from '@tidings/contracts'
import { isStoreEventName, parseTime, Refused, storeEventId } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { answerReport, reportRefusals } from '../events/answer-report.ts'
import { pointValues } from '../profiles/profile-input.ts'
import { authenticateReporter } from './authenticate-reporter.ts'
import { storeData } from './store-data.ts'

const schema = {
  operationId: 'storeEvents.report',
  summary: 'Report an event of a connected store, a review or a loyalty programme',
  description:
    'Authenticated by `X-Sender-Tenant` and `X-Connector-Secret`, the secret of a connector of the workspace file, or by the session of a user.',
  tags: ['integrations'],
  body: StoreEventBody,
  response: { 200: EventIngested },
  security: [{ tenant: [], connector: [] }, { session: [] }, { bearer: [] }],
}

const config = {
  access: 'open',
  findsWorkspace: true,
  refusals: [...reportRefusals, 'event_name_not_of_stores', 'workspace_not_active', 'authentication_required', 'origin_not_allowed'],
  problems: [
    { status: 401, message: 'Missing tenant or connector secret' },
    { status: 401, message: 'Invalid connector secret' },
  ],
} as const

/** Records an event like event ingest does, for the built-in names of stores, with the time that the store gives (M18). */
export function reportStoreEvent(app: App, deps: Dependencies): void {
  app.post(
    '/integrations/store-events',
    { schema, config, preValidation: (request) => authenticateReporter(deps, request) },
    async (request, reply) => {
      const { event, contactId, email, phone, data = {} } = request.body
      if (!isStoreEventName(event)) throw new Refused('event_name_not_of_stores')
      const { keyId, workspaceId } = request.tenant
      const connectorId = request.user === null ? keyId : null
      const asked = appendContext(request, deps.now())
      const context = connectorId === null ? asked : { ...asked, actor: `connector:${connectorId}` }
      const { occurredAt: said } = request.body
      const moment = request.momentOf(context.at)
      const at = occurredAt(said, { now: context.at, moment })
      const { properties, ids } = storeData(event, data)
      const ownId = storeEventId(event, { ...properties, ...ids }, { said: said ?? null, moment, connectorId })
      const { country } = await deps.directory.workspace(workspaceId)
      const values = pointValues({ ...(email !== undefined && { email }), ...(phone !== undefined && { phone }) }, country)
      return await answerReport(deps, reply, {
        context,
        report: { event, source: 'store', occurredAt: at, properties, ownId },
        details: {},
        person: { ...(contactId !== undefined && { contactId }), ...values },
      })
    },
  )
}

/** The clock of a store may be this far ahead. */
const AHEAD_MS = 5 * 60_000

/** The time of an event in UTC, as the store gives it, never after `now`; `moment` if the store gives none. Throws 400. */
function occurredAt(said: string | undefined, { now, moment }: Readonly<{ now: string; moment: string }>): string {
  if (said === undefined) return moment
  const at = parseTime(said)
  if (at === null || at < 0) throw invalidRequest('occurredAt must be a valid ISO 8601 date string')
  if (at > Date.parse(now) + AHEAD_MS) throw invalidRequest('occurredAt must not be in the future')
  return at > Date.parse(now) ? now : new Date(at).toISOString()
}
