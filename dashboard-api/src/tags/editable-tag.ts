import type { ShownTag } from '@tidings/contracts'
import { type Tag, type TagsEvent, tags, tagsStream, type WorkspaceId } from '@tidings/domain'
import { etagOf } from '../editing/editable.ts'

type OfTag = Readonly<{ workspaceId: WorkspaceId; tagId: string }>

/** All tags of a workspace share a stream: the record is what it says of one. */
export function editableTag({ workspaceId, tagId }: OfTag) {
  return {
    decider: tags,
    stream: tagsStream(workspaceId),
    recordIn: (state: readonly Tag[]): Tag | null => state.find((tag) => tag.tagId === tagId) ?? null,
    changes: ({ data }: TagsEvent) => data.tagId === tagId,
    notFound: 'tag_not_found',
  } as const
}

export function shownTag(tag: Tag): ShownTag {
  return { id: tag.tagId, name: tag.name, color: tag.color, etag: etagOf(tag) }
}
