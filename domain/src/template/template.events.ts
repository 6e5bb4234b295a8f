import type { Event, EventDeclarations } from '../kernel.ts'

export type TemplateChannel = 'email' | 'sms' | 'push'

/** Every text a template of any channel can hold; what its channel does not use is null. */
export type TemplateContent = Readonly<{
  subject: string | null
  html: string | null
  text: string | null
  body: string | null
  push: Readonly<{ title: string; body: string; url: string | null; icon: string | null }> | null
  fromName: string | null
}>

// Stored for ever: change only together with an upcast.
export type TemplateCreated = Event<
  'TemplateCreated',
  TemplateContent & { templateId: string; name: string; channel: TemplateChannel; archived: boolean }
>
/** Holds the whole new content. */
export type TemplateContentChanged = Event<'TemplateContentChanged', TemplateContent & { templateId: string }>
export type TemplateArchived = Event<'TemplateArchived', { templateId: string }>
export type TemplateRestored = Event<'TemplateRestored', { templateId: string }>
export type TemplateEvent = TemplateCreated | TemplateContentChanged | TemplateArchived | TemplateRestored

export const templateDeclarations = {
  TemplateCreated: { version: 1 },
  TemplateContentChanged: { version: 1 },
  TemplateArchived: { version: 1 },
  TemplateRestored: { version: 1 },
} satisfies EventDeclarations & Record<TemplateEvent['type'], unknown>
