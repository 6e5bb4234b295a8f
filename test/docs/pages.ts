import { commands } from './generated/cli.ts'
import { configuration } from './generated/configuration.ts'
import { capabilities, scenarios } from './generated/contract.ts'
import { dashboardRoutes } from './generated/dashboard-routes.ts'
import { errors } from './generated/errors.ts'
import { events } from './generated/events.ts'
import { eventsSchema } from './generated/events-schema.ts'
import { metrics } from './generated/metrics.ts'
import { openRoutesTable } from './generated/open-routes.ts'
import { mailgunAnswers, sesAnswers, smsErrors, smsStatuses } from './generated/provider-errors.ts'
import {
  DEFAULTS_FILE,
  DEFAULTS_JSON,
  defaultsAsJson,
  defaultsWithProviders,
  phoneAddresses,
  providers,
} from './generated/provider-settings.ts'
import { additionalRoutes, routes } from './generated/routes.ts'
import { tables } from './generated/tables.ts'

/** A section of a page that is written by the code it describes. */
export type Generated = Readonly<{ page: string; section: string; text: () => string }>

export const generated: readonly Generated[] = [
  { page: 'docs/reference/configuration.md', section: 'settings', text: configuration },
  { page: 'docs/reference/configuration.md', section: 'providers', text: providers },
  { page: 'docs/reference/sms-providers.md', section: 'addresses', text: phoneAddresses },
  { page: 'docs/reference/cli.md', section: 'commands', text: commands },
  { page: 'docs/reference/http-conventions.md', section: 'errors', text: errors },
  { page: 'docs/reference/events.md', section: 'events', text: events },
  { page: 'docs/reference/postgres-schemas.md', section: 'tables', text: tables },
  { page: 'docs/reference/event-store-contract.md', section: 'capabilities', text: capabilities },
  { page: 'docs/reference/event-store-contract.md', section: 'scenarios', text: scenarios },
  { page: 'docs/reference/sms-providers.md', section: 'errors', text: smsErrors },
  { page: 'docs/reference/sms-providers.md', section: 'statuses', text: smsStatuses },
  { page: 'docs/how-to/send-through-mailgun.md', section: 'answers', text: mailgunAnswers },
  { page: 'docs/how-to/send-through-amazon-ses.md', section: 'answers', text: sesAnswers },
  { page: 'docs/reference/routes.md', section: 'routes', text: routes },
  { page: 'docs/reference/routes.md', section: 'additional routes', text: additionalRoutes },
  { page: 'docs/reference/dashboard-routes.md', section: 'routes', text: dashboardRoutes },
  { page: 'docs/reference/open-routes.md', section: 'open routes', text: openRoutesTable },
  { page: 'docs/how-to/read-health-and-metrics.md', section: 'metrics', text: metrics },
]

/** A file that is written as a whole. */
export const generatedFiles: readonly Readonly<{ path: string; text: () => string }>[] = [
  { path: 'docs/reference/events.schema.json', text: eventsSchema },
  { path: DEFAULTS_FILE, text: defaultsWithProviders },
  { path: DEFAULTS_JSON, text: defaultsAsJson },
]
