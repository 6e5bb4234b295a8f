import { isoNow } from '@tidings/clock'
import {
  type ApiKeyKind,
  list,
  listStream,
  tags,
  tagsStream,
  template,
  templateStream,
  type WorkspaceState,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { createApiKey } from './api-keys.ts'
import { listCommands, senderCommands, settingsCommands, templateCommands } from './plan.ts'
import type { Provisioner } from './provisioner.ts'
import { tagCommands } from './tags.ts'
import type { WorkspaceFile } from './workspace-file/schema.ts'

/** `key` only for one that was just made. */
export type AppliedKey = Readonly<{ id: string; name: string; key?: string }>

/** One record of the file: its natural key, and the commands that apply it. */
export type Step = Readonly<{ what: string; run: () => Promise<readonly Readonly<{ type: string }>[]> }>

/**
 * Records that are looked up or written at once, so that they share the round trips of the log's group commit. Steps of one stream still
 * follow each other in the order of the file.
 */
export const AT_ONCE = 64

/** A file that is being applied. `onRecord` is called for each record that was looked up or applied. */
export type Applying = Readonly<{ to: Provisioner; workspaceId: string; file: WorkspaceFile; onRecord: () => void }>

type KeyOfFile = Readonly<{ name: string; kind: ApiKeyKind }>

/** A key of the other kind is another key: a file that makes its page's key publishable gets a new one. */
const activeKey = (state: WorkspaceState, { name, kind }: KeyOfFile): AppliedKey | undefined => {
  const isWanted = (key: WorkspaceState['apiKeys'][string]) => key.name === name && key.kind === kind && key.status === 'active'
  const found = Object.entries(state.apiKeys).find(([, key]) => isWanted(key))
  return found && { id: found[0], name }
}

/** Appends every key of the file to `made`, in the order of the file. */
export function keySteps({ to, workspaceId, file }: Applying, made: AppliedKey[]): readonly Step[] {
  return (file.apiKeys ?? []).map(({ name, publishable }) => ({
    what: name,
    run: async () => {
      const key = { name, kind: publishable ? 'publishable' : 'secret' } as const
      const known = activeKey(await to.load(workspaceId, workspace, workspaceStream(workspaceId)), key)
      made.push(known ?? (await createApiKey(to, workspaceId, key)))
      return known ? [] : [{ type: 'ApiKeyCreated' }]
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
