import type { WorkspaceId } from '../ids.ts'
import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'
import { inNfc } from '../values.ts'

export const TAG_COLORS = ['neutral', 'primary', 'accent', 'warn', 'danger', 'info', 'violet'] as const
export type TagColor = (typeof TAG_COLORS)[number]

// Stored for ever: change only together with an upcast.
type TagCreated = Event<'TagCreated', { tagId: string; name: string; color: TagColor | null }>
type TagColorChanged = Event<'TagColorChanged', { tagId: string; color: TagColor | null }>
export type TagsEvent = TagCreated | TagColorChanged

export const tagsDeclarations = {
  TagCreated: { version: 1 },
  TagColorChanged: { version: 1 },
} as const satisfies EventDeclarations & Record<TagsEvent['type'], unknown>

/** Tags a workspace may have (contract: Tags). */
export const MAX_TAGS = 200

export type Tag = Readonly<TagCreated['data']>

/** The tags in the order they were made; at most `MAX_TAGS`. */
type TagsState = readonly Tag[]

/** A tag of a name that is free. The name comes trimmed. */
export type CreateTag = Command<'CreateTag', Tag>
/** Makes a tag of this name be as described; one that is there keeps its id. */
export type ConfigureTag = Command<'ConfigureTag', Tag>
type TagsCommand = CreateTag | ConfigureTag

/** All tags of a workspace are one stream: that is what makes their names unique and their number bounded. */
export function tagsStream(workspaceId: WorkspaceId): string {
  return `tags-${workspaceId}`
}

/** Names are compared exactly, case and all (G17), in NFC (M46). */
export function tagNamed(tags: TagsState, name: string): Tag | undefined {
  const wanted = inNfc(name)
  return tags.find((tag) => inNfc(tag.name) === wanted)
}

const decide = ({ type, data }: TagsCommand, tags: TagsState): readonly TagsEvent[] => {
  const known = tagNamed(tags, data.name)
  if (known === undefined) return create(data, tags)
  if (type === 'ConfigureTag') return recolor(known, data)
  // A tag's id is made for its command: the same id again is the same command again.
  if (known.tagId === data.tagId) return []
  throw new Refused('tag_name_taken')
}

const create = (data: Tag, tags: TagsState): readonly TagsEvent[] => {
  if (tags.length >= MAX_TAGS) throw new Refused('tag_limit_reached')
  return [{ type: 'TagCreated', data }]
}

const recolor = ({ tagId, color: known }: Tag, { color }: Tag): readonly TagsEvent[] =>
  color === known ? [] : [{ type: 'TagColorChanged', data: { tagId, color } }]

const evolve = (tags: TagsState, { type, data }: TagsEvent): TagsState => {
  switch (type) {
    case 'TagCreated':
      return [...tags, data]
    case 'TagColorChanged':
      return tags.map((tag) => (tag.tagId === data.tagId ? { ...tag, color: data.color } : tag))
    default:
      return type satisfies never
  }
}

/** The tags of a workspace. A name that is taken is refused before the limit is (G17). */
export const tags: Decider<TagsCommand, TagsEvent, TagsState> = { decide, evolve, initialState: [], hot: true }
