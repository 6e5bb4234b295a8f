import { committedDashboardOpenApi, operationsOf } from '../../contract/openapi.ts'
import { table } from '../markdown.ts'

/** Every route behind the door of the dashboard, with the least role that may call it. */
export function dashboardRoutes(): string {
  const rows = operationsOf(committedDashboardOpenApi()).map(({ name, operation }) => [
    `\`${name.replace('/api/v1/dashboard', '')}\``,
    operation['x-tidings-role'] ?? '–',
    `${operation.operationId}: ${operation.summary}`,
  ])
  return table(['route below `/api/v1/dashboard`', 'least role', 'what it does'], rows)
}
