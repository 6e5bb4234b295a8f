import { emailKey } from '@tidings/addresses'
import type { StateLoader } from '@tidings/commands'
import {
  singleLine,
  type TemplateContent,
  type TemplateId,
  template,
  templateStream,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'

/** A template as the log has it now; null where there is none, or not any more. */
export async function templateNow(
  commands: StateLoader,
  workspaceId: WorkspaceId,
  templateId: TemplateId,
): Promise<TemplateContent | null> {
  const { state } = await commands.load({ decider: template, stream: templateStream(workspaceId, templateId), workspaceId })
  return state.exists && !state.archived ? state.content : null
}

/** The name that the workspace gave a sender address. */
export async function senderNameOf(commands: StateLoader, workspaceId: WorkspaceId, from: string): Promise<string | null> {
  const { state } = await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  const name = Object.values(state.senderAddresses).find(({ email }) => emailKey(email) === emailKey(from))?.name
  return name ? singleLine(name).trim() || null : null
}
