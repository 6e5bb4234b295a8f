import { workspaceIdOf } from '@tidings/directory'
import { tags, tagsStream, template, templateStream, type WorkspaceState, workspace, workspaceStream } from '@tidings/domain'
import { OperationFailed } from '../terminal/answer.ts'
import type { WorkspaceFile } from '../workspace-file/schema.ts'
import { type CreatedApiKey, createApiKey } from './api-keys.ts'
import { senderAddressIds, senderCommands, settingsCommands, templateCommands } from './plan.ts'
import type { Provisioner } from './provisioner.ts'
import { refuseTooManyTags, tagCommands, tagIds } from './tags.ts'

type AppliedKey = Readonly<{ id: string; name: string; key?: string }>

/** What `apply --json` prints: every record of the file with its id; a key only when this call created it. */
export type Applied = Readonly<{
  workspace: Readonly<{ id: string; slug: string }>
  apiKeys: readonly AppliedKey[]
  senderAddresses: Readonly<Record<string, string>>
  templates: Readonly<Record<string, string>>
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
  TagCreated: 'created a tag',
  TagColorChanged: 'changed the color of a tag',
}

/** What only the log can tell: a template never changes its channel. Asked before anything is written. */
const refuseChannelChanges = async (to: Provisioner, workspaceId: string, file: WorkspaceFile): Promise<void> => {
  for (const [i, { data }] of templateCommands(workspaceId, file).entries()) {
    const known = await to.load(workspaceId, template, templateStream(workspaceId, data.templateId))
    if (known.exists && known.channel !== data.channel) {
      throw new OperationFailed(
        `templates[${i}].channel: "${data.name}" is an ${known.channel} template, use another name for ${data.channel}`,
      )
    }
  }
}

const activeKey = (state: WorkspaceState, name: string): AppliedKey | undefined => {
  const found = Object.entries(state.apiKeys).find(([, key]) => key.name === name && key.status === 'active')
  return found && { id: found[0], name }
}

/** Makes a workspace what the file says: idempotent, matched by natural keys, nothing is deleted. `onProgress` counts records. */
export const applyWorkspaceFile = async (
  to: Provisioner,
  file: WorkspaceFile,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<ApplyResult> => {
  const workspaceId = workspaceIdOf(file.workspace.slug)
  const stream = workspaceStream(workspaceId)
  const ofTags = tagCommands(workspaceId, file)
  await refuseChannelChanges(to, workspaceId, file)
  await refuseTooManyTags(to, workspaceId, ofTags)
  const changes: string[] = []
  const ofWorkspace = [...settingsCommands(workspaceId, file), ...senderCommands(workspaceId, file)]
  const templates = templateCommands(workspaceId, file)
  const keyNames = (file.apiKeys ?? []).map(({ name }) => name)
  const total = ofWorkspace.length + templates.length + ofTags.length + keyNames.length
  let done = 0
  const note = (events: readonly Readonly<{ type: string }>[], what: string) => {
    for (const { type } of events) changes.push(`${sentences[type] ?? type}: ${what}`)
    onProgress(++done, total)
  }

  for (const { what, command } of ofWorkspace) note(await to.execute(workspaceId, workspace, stream, command), what)
  const apiKeys: (AppliedKey | CreatedApiKey)[] = []
  for (const name of keyNames) {
    const known = activeKey(await to.load(workspaceId, workspace, stream), name)
    apiKeys.push(known ?? (await createApiKey(to, workspaceId, name)))
    note(known ? [] : [{ type: 'ApiKeyCreated' }], name)
  }
  for (const command of templates) {
    note(await to.execute(workspaceId, template, templateStream(workspaceId, command.data.templateId), command), command.data.name)
  }
  for (const command of ofTags) note(await to.execute(workspaceId, tags, tagsStream(workspaceId), command), command.data.name)
  const applied: Applied = {
    workspace: { id: workspaceId, slug: file.workspace.slug },
    apiKeys,
    senderAddresses: senderAddressIds(workspaceId, file),
    templates: Object.fromEntries(templates.map(({ data }) => [data.name, data.templateId])),
    tags: await tagIds(to, workspaceId, ofTags),
  }
  return { applied, changes }
}
