import { recordIdOf } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import { type ConfigureTag, MAX_TAGS, tagNamed, tags, tagsStream, type WorkspaceId } from '@tidings/domain'
import type { Provisioner } from './provisioner.ts'
import type { WorkspaceFile } from './workspace-file/schema.ts'

/** A tag that the public API made has an id of its own: it is found by its name, and the id given here is for a new one. */
export function tagCommands(workspaceId: WorkspaceId, file: WorkspaceFile): readonly ConfigureTag[] {
  return (file.tags ?? []).map(({ name, color = null }) => ({
    type: 'ConfigureTag',
    data: { tagId: recordIdOf(workspaceId, 'tag', name.trim()), name: name.trim(), color },
  }))
}

/** Asked before anything is written: the tags of the file and those that are there already must not be more than a workspace may have. */
export async function refuseTooManyTags(to: Provisioner, workspaceId: WorkspaceId, commands: readonly ConfigureTag[]): Promise<void> {
  if (commands.length === 0) return
  const known = await to.load(workspaceId, tags, tagsStream(workspaceId))
  const added = commands.filter(({ data }) => tagNamed(known, data.name) === undefined).length
  if (known.length + added > MAX_TAGS)
    throw new OperationFailed(
      `tags: the workspace has ${known.length} tags and may have ${MAX_TAGS}: remove at least ${known.length + added - MAX_TAGS} new ones`,
    )
}

/** The ids by name, once they are applied. */
export async function tagIds(
  to: Provisioner,
  workspaceId: WorkspaceId,
  commands: readonly ConfigureTag[],
): Promise<Readonly<Record<string, string>>> {
  if (commands.length === 0) return {}
  const known = await to.load(workspaceId, tags, tagsStream(workspaceId))
  return Object.fromEntries(commands.map(({ data }) => [data.name, tagNamed(known, data.name)?.tagId ?? data.tagId]))
}
