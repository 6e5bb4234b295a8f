import type { ShownCustomField } from '@tidings/contracts'
import { type ConfigureCustomField, customField, customFieldStream, optionsMistake, type WorkspaceId } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { lastChange } from '../editing/last-change.ts'

type OfField = Readonly<{ workspaceId: WorkspaceId; fieldId: string }>
type Field = ConfigureCustomField['data']

/** A field has a stream of its own. */
export function editableField({ workspaceId, fieldId }: OfField) {
  return {
    decider: customField,
    stream: customFieldStream(workspaceId, fieldId),
    recordIn: (state: Field | null) => state,
    notFound: 'custom_field_not_found',
  } as const
}

/** The field as of the log. */
export async function editedField(deps: Pick<DashboardDependencies, 'commands' | 'db' | 'log'>, of: OfField): Promise<ShownCustomField> {
  const editable = editableField(of)
  const { record, etag } = await readRecord(deps, of.workspaceId, editable)
  const { fieldId: id, options, ...field } = record
  const change = await lastChange(deps, of.workspaceId, editable)
  return { id, ...field, options: [...options], updatedAt: change?.at ?? '', etag }
}

export function refuseWrongOptions(asked: Parameters<typeof optionsMistake>[0]): void {
  const mistake = optionsMistake(asked)
  if (mistake !== null) throw invalidRequest(mistake)
}
