import { OperationFailed } from '@tidings/config'
import { type ApiKeyId, asApiKeyId, type WorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { createApiKey, revokeApiKey } from '@tidings/provisioning'
import { type ApiKeyRecord, apiKeyById, apiKeyRecord, apiKeyRecords, type ReadModels } from '@tidings/read-models'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import { listAnswer } from '../terminal/answer.ts'

type Json = Readonly<{ json: boolean }>

const recordOf = async ({ stores }: Operator, workspaceId: WorkspaceId, id: ApiKeyId): Promise<ApiKeyRecord> => {
  const record = await apiKeyRecord(kyselyOn<ReadModels>(stores.pool), workspaceId, id)
  if (record === undefined) throw new OperationFailed(`There is no API key ${id}.`)
  return record
}

const line = ({ id, name, kind, prefix, status, lastUsedAt }: ApiKeyRecord): string =>
  `${id}  ${prefix}…  ${kind.padEnd(11)}  ${status.padEnd(7)}  last used ${lastUsedAt ?? 'never'}  ${name}`

type Creating = { workspace: string; name: string; publishable: boolean }

/** `tidings api-key create`: only its answer shows the whole key. */
export function create({ workspace: slug, name, publishable, json }: Json & Readonly<Creating>): Promise<void> {
  return withOperator(json, async (operator) => {
    if (name.length === 0 || name.length > 255) throw new OperationFailed('The name of an API key has 1 to 255 characters.')
    const { id: workspaceId } = await existingWorkspace(operator, slug)
    const { id, key } = await createApiKey(operator.provisioner, workspaceId, { name, kind: publishable ? 'publishable' : 'secret' })
    await operator.settle()
    const record = await recordOf(operator, workspaceId, id)
    return { json: { ...record, key }, lines: [line(record), `API key (shown once): ${key}`] }
  })
}

/** `tidings api-key list`, newest first. */
export function list({ workspace: slug, json }: Json & Readonly<{ workspace: string }>): Promise<void> {
  return withOperator(json, async (operator) => {
    const records = await apiKeyRecords(kyselyOn<ReadModels>(operator.stores.pool), (await existingWorkspace(operator, slug)).id)
    return listAnswer(records, line, `Workspace ${slug} has no API key.`)
  })
}

/** `tidings api-key revoke`: when it returns, every running process refuses the key. */
export function revoke(id: string, { json }: Json): Promise<void> {
  return withOperator(json, async (operator) => {
    const known = /^[0-9a-f-]{36}$/i.test(id) ? await apiKeyById(kyselyOn<ReadModels>(operator.stores.pool), asApiKeyId(id)) : undefined
    if (known === undefined) throw new OperationFailed(`There is no API key ${id}.`)
    await revokeApiKey(operator.provisioner, known.workspace_id, known.id)
    await operator.settle()
    const record = await recordOf(operator, known.workspace_id, known.id)
    return { json: record, lines: [line(record)] }
  })
}
