import { SetRepliesBody, WorkspaceSettings } from '@tidings/contracts'
import { type SmsReplies, smsKeyword, type WorkspaceCommand, workspace, workspaceStream } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { saveRecord } from '../editing/save-record.ts'
import { editableSettings, workspaceSettings } from './settings.ts'

const schema = {
  operationId: 'workspace.setReplies',
  summary: 'Choose what people get who text STOP, START or HELP',
  tags: ['workspace'],
  body: SetRepliesBody,
  response: { 200: WorkspaceSettings },
}

const config = { access: 'session', dashboard: { role: 'owner' }, edits: true, refusals: ['workspace_not_found'] } as const

/** An answer that is a keyword itself is refused: two services that answer each other would never end. */
export function setReplies(app: App, deps: DashboardDependencies): void {
  app.put('/workspace/replies', { schema, config }, async (request) => {
    const { workspaceId } = request.tenant
    const { stop, start, help } = request.body
    const replies: SmsReplies = { stop, start, help }
    const { state } = await deps.commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
    const keyword = Object.entries(replies).find(([, text]) => text !== null && smsKeyword(text, state.stopWords) !== null)
    if (keyword) throw invalidRequest(`${keyword[0]} must be no keyword itself, which the other side may answer`)
    await saveRecord(deps, request, {
      editable: editableSettings(workspaceId, 'replies'),
      commandFor: (): WorkspaceCommand => ({ type: 'SetSmsReplies', data: replies }),
    })
    return await workspaceSettings(deps, workspaceId)
  })
}
