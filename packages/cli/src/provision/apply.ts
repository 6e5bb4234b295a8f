import { workspaceIdOf } from '@tidings/directory'
import type { WorkspaceFile } from '../workspace-file/schema.ts'
import { listCommands, senderAddressIds, templateCommands } from './plan.ts'
import type { Provisioner } from './provisioner.ts'
import { refuseChannelChanges } from './refuse-channel-changes.ts'
import { type AppliedKey, keySteps, recordSteps, workspaceSteps } from './steps.ts'
import { refuseTooManyTags, tagCommands, tagIds } from './tags.ts'

/** What `apply --json` prints: every record of the file with its id; a key only when this call created it. */
export type Applied = Readonly<{
  workspace: Readonly<{ id: string; slug: string }>
  apiKeys: readonly AppliedKey[]
  senderAddresses: Readonly<Record<string, string>>
  templates: Readonly<Record<string, string>>
  lists: Readonly<Record<string, string>>
  tags: Readonly<Record<string, string>>
}>

/** `changes` are the sentences for people, in the order things happened; empty when everything was already so. */
export type ApplyResult = Readonly<{ applied: Applied; changes: readonly string[] }>

const sentences: Readonly<Record<string, string>> = {
  WorkspaceCreated: 'created the workspace',
  WorkspaceSettingsChanged: 'changed the settings',
  ApiKeyCreated: 'created an API key',
  SenderDomainConfigured: 'set a sender domain',
  SenderAddressConfigured: 'set a sender address',
  TemplateCreated: 'created a template',
  TemplateContentChanged: 'changed a template',
  TemplateArchived: 'archived a template',
  TemplateRestored: 'restored a template',
  ListCreated: 'created a list',
  TagCreated: 'created a tag',
  TagColorChanged: 'changed the color of a tag',
}

/** Makes a workspace what the file says: idempotent, matched by natural keys, nothing is deleted. `onProgress` counts records. */
export const applyWorkspaceFile = async (
  to: Provisioner,
  file: WorkspaceFile,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<ApplyResult> => {
  const workspaceId = workspaceIdOf(file.workspace.slug)
  await refuseChannelChanges(to, workspaceId, file)
  await refuseTooManyTags(to, workspaceId, tagCommands(workspaceId, file))
  const changes: string[] = []
  const apiKeys: AppliedKey[] = []
  const applying = { to, workspaceId, file }
  const steps = [...workspaceSteps(applying), ...keySteps(applying, apiKeys), ...recordSteps(applying)]
  for (const [n, { what, run }] of steps.entries()) {
    for (const { type } of await run()) changes.push(`${sentences[type] ?? type}: ${what}`)
    onProgress(n + 1, steps.length)
  }
  const applied: Applied = {
    workspace: { id: workspaceId, slug: file.workspace.slug },
    apiKeys,
    senderAddresses: senderAddressIds(workspaceId, file),
    templates: Object.fromEntries(templateCommands(workspaceId, file).map(({ data }) => [data.name, data.templateId])),
    lists: Object.fromEntries(listCommands(workspaceId, file).map(({ data }) => [data.name, data.listId])),
    tags: await tagIds(to, workspaceId, tagCommands(workspaceId, file)),
  }
  return { applied, changes }
}
