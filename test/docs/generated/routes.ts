import { committedOpenApi, operationsOf } from '../../contract/openapi.ts'
import { table } from '../markdown.ts'
import { contractRoutes } from './contract-routes.ts'

const link = (test: string | null): string => (test === null ? 'not built yet' : `[${test}](../../test/e2e/${test}.e2e.test.ts)`)

const summaries = (): ReadonlyMap<string, string> =>
  new Map(operationsOf(committedOpenApi()).map(({ name, operation }) => [name, `${operation.operationId}: ${operation.summary}`]))

/** Every route of the contract: what the OpenAPI document calls it, and its end-to-end test. */
export function routes(): string {
  const known = summaries()
  const rows = contractRoutes.map(([method, path, test]) => {
    const name = `${method} ${path}`
    return [`\`${name}\``, known.get(name) ?? '–', link(test)]
  })
  return table(['route', 'in `/openapi.json`', 'driven by'], rows)
}

/** What the OpenAPI document has beside the contract. */
export function additionalRoutes(): string {
  const ofContract = new Set(contractRoutes.map(([method, path]) => `${method} ${path}`))
  return table(
    ['route', 'what it does'],
    [...summaries()].filter(([name]) => !ofContract.has(name)).map(([name, summary]) => [`\`${name}\``, summary]),
  )
}
