import type { StreamReader } from '@tidings/codec'
import { type WorkspaceEvent, type WorkspaceId, workspaceStream } from '@tidings/domain'
import { streamEvents } from '@tidings/log-views'

/** The names of the API keys of a workspace by their ids, also of those that are gone. */
export async function keyNamesOf(log: StreamReader, workspaceId: WorkspaceId): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for await (const { type, data } of streamEvents<WorkspaceEvent>(log, { workspaceId, stream: workspaceStream(workspaceId) }))
    if (type === 'ApiKeyCreated') names.set(data.keyId, data.name)
  return names
}
