import { workspaceIdOf } from '@tidings/directory'
import type { WorkspaceFile } from '../workspace-file/schema.ts'
import { campaignCommands, campaignSteps } from './campaigns.ts'
import { formCommands, formSteps } from './forms.ts'
import { customFieldCommands, lookupSteps } from './lookups.ts'
import { listCommands, senderAddressIds, templateCommands } from './plan.ts'
import type { Provisioner } from './provisioner.ts'
import { refuseChannelChanges } from './refuse-channel-changes.ts'
import { sentenceOf } from './sentences.ts'
import { type AppliedKey, keySteps, recordSteps, workspaceSteps } from './steps.ts'
import { refuseTooManyTags, tagCommands, tagIds } from './tags.ts'
import { userIds, userSteps } from './users.ts'

/** What `apply --json` prints: every record of the file with its id; a key only when this call created it. */
export type Applied = Readonly<{
  workspace: Readonly<{ id: string; slug: string }>
  apiKeys: readonly AppliedKey[]
  senderAddresses: Readonly<Record<string, string>>
  templates: Readonly<Record<string, string>>
  lists: Readonly<Record<string, string>>
  tags: Readonly<Record<string, string>>
  campaigns: Readonly<Record<string, string>>
  flows: Readonly<Record<string, string>>
  customFields: Readonly<Record<string, string>>
  users: Readonly<Record<string, string>>
}>

/** `changes` are the sentences for people, in the order things happened; empty when everything was already so. */
export type ApplyResult = Readonly<{ applied: Applied; changes: readonly string[] }>

/** Makes a workspace what the file says: idempotent, matched by natural keys, nothing is deleted. `onProgress` counts records. */
export const applyWorkspaceFile = async (
  to: Provisioner,
  file: WorkspaceFile,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<ApplyResult> => {
  const workspaceId = workspaceIdOf(file.workspace.slug)
  await refuseChannelChanges(to, workspaceId, file)
  await refuseTooManyTags(to, workspaceId, tagCommands(workspaceId, file))
  const applying = { to, workspaceId, file }
  const campaigns = await campaignCommands(applying)
  const forms = await formCommands(applying)
  const changes: string[] = []
  const apiKeys: AppliedKey[] = []
  const steps = [
    ...workspaceSteps(applying),
    ...userSteps(applying),
    ...keySteps(applying, apiKeys),
    ...lookupSteps(applying),
    ...recordSteps(applying),
    ...campaignSteps(applying, campaigns),
    ...formSteps(applying, forms),
  ]
  for (const [n, { what, run }] of steps.entries()) {
    for (const { type } of await run()) changes.push(sentenceOf(type, what))
    onProgress(n + 1, steps.length)
  }
  const applied: Applied = {
    workspace: { id: workspaceId, slug: file.workspace.slug },
    apiKeys,
    senderAddresses: senderAddressIds(workspaceId, file),
    templates: Object.fromEntries(templateCommands(workspaceId, file).map(({ data }) => [data.name, data.templateId])),
    lists: Object.fromEntries(listCommands(workspaceId, file).map(({ data }) => [data.name, data.listId])),
    tags: await tagIds(to, workspaceId, tagCommands(workspaceId, file)),
    campaigns: Object.fromEntries(campaigns.map(({ data }) => [data.name, data.campaignId])),
    flows: {},
    customFields: Object.fromEntries(customFieldCommands(workspaceId, file).map(({ data }) => [data.key, data.fieldId])),
    users: userIds(workspaceId, file),
  }
  return { applied, changes }
}
