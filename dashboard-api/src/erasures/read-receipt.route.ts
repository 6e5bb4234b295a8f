import { Type } from '@sinclair/typebox'
import { readErasure } from '@tidings/administration'
import { ContactParams } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import { erasureReceipt } from '@tidings/evidence/proof'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { asDownload } from '../download.ts'
import { onceBuilt } from '../not-built.ts'

const schema = {
  operationId: 'erasures.readReceipt',
  summary: 'The signed receipt of an erasure, as a file',
  description: 'Ids, times and counts, without a word of the person, signed by the key that signs the heads of the log.',
  tags: ['erasures'],
  params: ContactParams,
  querystring: Type.Object({}),
}

const config = {
  access: 'session',
  dashboard: { role: 'admin', notes: 'proof' },
  raw: true,
  refusals: ['erasure_not_found', 'erasure_not_finished'],
} as const

export function readReceipt(app: App, deps: Pick<DashboardDependencies, 'log' | 'pool' | 'openLogKey'>): void {
  app.get('/erasures/:id/receipt', { schema, config }, async ({ tenant: { workspaceId, slug }, params: { id: contactId } }, reply) => {
    const found = await onceBuilt(readErasure(deps, { workspaceId, contactId }))
    if (found === null) throw new Refused('erasure_not_found')
    const { erased, finishedAt, cleared, stays } = found
    if (erased === null || finishedAt === null) throw new Refused('erasure_not_finished')
    const { at, by, position } = found.requested
    const facts = { workspace: { id: workspaceId, slug }, contactId, requested: { at, by, position }, erased, finishedAt, cleared, stays }
    const receipt = erasureReceipt(facts, await deps.openLogKey())
    return asDownload(reply, { name: `erasure-${contactId}.json`, type: 'application/json; charset=utf-8' }).send(
      `${JSON.stringify(receipt, null, 2)}\n`,
    )
  })
}
