import type { TemplateId, WorkspaceId } from '../ids.ts'
import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'
import { sameJson } from '../values.ts'

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
  TemplateContent & { templateId: TemplateId; name: string; channel: TemplateChannel; archived: boolean }
>
/** Holds the whole new content. `restoredFrom`: the version that it was taken from. */
type TemplateContentChanged = Event<'TemplateContentChanged', TemplateContent & { templateId: TemplateId; restoredFrom?: number }>
type TemplateArchived = Event<'TemplateArchived', { templateId: TemplateId }>
type TemplateRestored = Event<'TemplateRestored', { templateId: TemplateId }>
export type TemplateEvent = TemplateCreated | TemplateContentChanged | TemplateArchived | TemplateRestored

export const templateDeclarations = {
  TemplateCreated: { version: 1 },
  TemplateContentChanged: { version: 1 },
  TemplateArchived: { version: 1 },
  TemplateRestored: { version: 1 },
} as const satisfies EventDeclarations & Record<TemplateEvent['type'], unknown>

export type TemplateState = Readonly<{
  exists: boolean
  name: string
  channel: TemplateChannel
  archived: boolean
  content: TemplateContent
}>

const noContent: TemplateContent = { subject: null, html: null, text: null, body: null, push: null, fromName: null }

const unknownTemplate: TemplateState = { exists: false, name: '', channel: 'email', archived: false, content: noContent }

/** Makes the template be as described: creates it, or changes what differs. `restoredFrom`: the version whose content it is. */
export type ConfigureTemplate = Command<'ConfigureTemplate', TemplateCreated['data'] & { restoredFrom?: number }>
type ArchiveTemplate = Command<'ArchiveTemplate', { templateId: TemplateId }>
type RestoreTemplate = Command<'RestoreTemplate', { templateId: TemplateId }>
type TemplateCommand = ConfigureTemplate | ArchiveTemplate | RestoreTemplate

/** A template's own stream; its id comes from workspace and name. */
export function templateStream(workspaceId: WorkspaceId, templateId: TemplateId): string {
  return `template-${workspaceId}-${templateId}`
}

const decide = (command: TemplateCommand, state: TemplateState): readonly TemplateEvent[] => {
  if (command.type === 'ConfigureTemplate') return configure(command.data, state)
  if (!state.exists) throw new Refused('template_not_found')
  return archive(command.data.templateId, command.type === 'ArchiveTemplate', state)
}

const configure = ({ restoredFrom, ...data }: ConfigureTemplate['data'], state: TemplateState): readonly TemplateEvent[] => {
  if (!state.exists) return [{ type: 'TemplateCreated', data }]
  const { templateId, name: _, channel, archived, ...content } = data
  if (channel !== state.channel) throw new Refused('template_channel_mismatch')
  const changed: readonly TemplateEvent[] = sameJson(content, state.content)
    ? []
    : [{ type: 'TemplateContentChanged', data: { templateId, ...content, ...(restoredFrom !== undefined && { restoredFrom }) } }]
  return [...changed, ...archive(templateId, archived, state)]
}

const archive = (templateId: TemplateId, archived: boolean, state: TemplateState): readonly TemplateEvent[] => {
  if (archived === state.archived) return []
  return [{ type: archived ? 'TemplateArchived' : 'TemplateRestored', data: { templateId } }]
}

const evolve = (state: TemplateState, event: TemplateEvent): TemplateState => {
  switch (event.type) {
    case 'TemplateCreated': {
      const { templateId: _, name, channel, archived, ...content } = event.data
      return { exists: true, name, channel, archived, content }
    }
    case 'TemplateContentChanged': {
      const { templateId: _, restoredFrom: __, ...content } = event.data
      return { ...state, content }
    }
    case 'TemplateArchived':
      return { ...state, archived: true }
    case 'TemplateRestored':
      return { ...state, archived: false }
    default:
      return event satisfies never
  }
}

/** A template of the workspace's library; its channel never changes. */
export const template: Decider<TemplateCommand, TemplateEvent, TemplateState> = { decide, evolve, initialState: unknownTemplate }
