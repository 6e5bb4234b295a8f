import { isoNow } from '@tidings/async/clock'
import {
  type ApiKeyKind,
  list,
  listStream,
  tags,
  tagsStream,
  template,
  templateStream,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { type AppliedKey, provideApiKey } from './api-keys.ts'
import { listCommands, senderCommands, settingsCommands, templateCommands } from './plan.ts'
import type { Provisioner } from './provisioner.ts'
import { tagCommands } from './tags.ts'
import type { WorkspaceFile } from './workspace-file/schema.ts'

/** One record of the file: its natural key, and the commands that apply it. */
export type Step = Readonly<{ what: string; run: () => Promise<readonly Readonly<{ type: string }>[]> }>

/**
 * Records that are looked up or written at once, so that they share the round trips of the log's group commit. Steps of one stream still
 * follow each other in the order of the file.
 */
export const AT_ONCE = 64

/** A file that is being applied. `onRecord` is called for each record that was looked up or applied. */
export type Applying = Readonly<{ to: Provisioner; workspaceId: WorkspaceId; file: WorkspaceFile; onRecord: () => void }>

type KeyOfFile = Readonly<{ name: string; kind: ApiKeyKind }>

const keysOf = (file: WorkspaceFile): readonly KeyOfFile[] =>
  (file.apiKeys ?? []).map(({ name, publishable }) => ({ name, kind: publishable ? 'publishable' : 'secret' }))

/** Active keys that have the name of one of the file and another kind: a file that makes its page's key publishable gets a new one, and the secret one stays. */
export async function otherKindKeys({ to, workspaceId, file }: Applying): Promise<readonly (KeyOfFile & Readonly<{ id: string }>)[]> {
  const wanted = keysOf(file)
  const { apiKeys } = await to.load(workspaceId, workspace, workspaceStream(workspaceId))
  return Object.entries(apiKeys).flatMap(([id, { name, kind, status }]) => {
    const isOther = status === 'active' && wanted.some((key) => key.name === name && key.kind !== kind)
    return isOther ? [{ id, name, kind }] : []
  })
}

/** Appends every key of the file to `made`, in the order of the file. */
export function keySteps({ to, workspaceId, file }: Applying, made: AppliedKey[]): readonly Step[] {
  return keysOf(file).map((key) => ({
    what: key.name,
    run: async () => {
      const provided = await provideApiKey(to, workspaceId, key)
      made.push(provided)
      return provided.key === undefined ? [] : [{ type: 'ApiKeyCreated' }]
    },
  }))
}

export function workspaceSteps({ to, workspaceId, file }: Applying): readonly Step[] {
  return [...settingsCommands(workspaceId, file), ...senderCommands(workspaceId, file, isoNow())].map(({ what, command }) => ({
    what,
    run: () => to.execute(workspaceId, workspace, workspaceStream(workspaceId), command),
  }))
}

export function recordSteps({ to, workspaceId, file }: Applying): readonly Step[] {
  return [
    ...templateCommands(workspaceId, file).map((command) => ({
      what: command.data.name,
      run: () => to.execute(workspaceId, template, templateStream(workspaceId, command.data.templateId), command),
    })),
    ...tagCommands(workspaceId, file).map((command) => ({
      what: command.data.name,
      run: () => to.execute(workspaceId, tags, tagsStream(workspaceId), command),
    })),
    ...listCommands(workspaceId, file).map((command) => ({
      what: command.data.name,
      run: () => to.execute(workspaceId, list, listStream(workspaceId, command.data.listId), command),
    })),
  ]
}
