import type { Event, EventDeclarations } from '../kernel.ts'

export const TAG_COLORS = ['neutral', 'primary', 'accent', 'warn', 'danger', 'info', 'violet'] as const
export type TagColor = (typeof TAG_COLORS)[number]

// Stored for ever: change only together with an upcast.
export type TagCreated = Event<'TagCreated', { tagId: string; name: string; color: TagColor | null }>
export type TagColorChanged = Event<'TagColorChanged', { tagId: string; color: TagColor | null }>
export type TagsEvent = TagCreated | TagColorChanged

export const tagsDeclarations = {
  TagCreated: { version: 1 },
  TagColorChanged: { version: 1 },
} satisfies EventDeclarations & Record<TagsEvent['type'], unknown>
