import { type KnownContact, workspaceIdOf } from '@tidings/directory'
import { type EventFacts, type TemplateContent, type TemplateId, template, templateStream, type WorkspaceId } from '@tidings/domain'
import { flowCommands } from './flows.ts'
import { templateCommands } from './plan.ts'
import type { Provisioner } from './provisioner.ts'
import { type WalkedFlow, walkFlow } from './walk-flow.ts'
import { walkedContact } from './walked-person.ts'
import type { WorkspaceFile } from './workspace-file/schema.ts'

export type TriedFlow = Readonly<{ flow: string }> & WalkedFlow

/** `countEvents`: how often the contact had these events. */
export type Trying = Readonly<{
  to: Provisioner
  file: WorkspaceFile
  contact: KnownContact
  countEvents: (names: readonly string[]) => Promise<ReadonlyMap<string, EventFacts>>
  now: number
}>

/** Walks the flows of a file for a contact as it is now. Writes and sends nothing. */
export async function tryFlows({ to, file, contact, countEvents, now }: Trying): Promise<readonly TriedFlow[]> {
  const workspaceId = workspaceIdOf(file.workspace.slug)
  const commands = await flowCommands({ to, workspaceId, file, onRecord: () => undefined })
  const walking = { person: walkedContact(contact), countEvents, template: templateIn({ to, file }, workspaceId), properties: {}, now }
  const tried: TriedFlow[] = []
  for (const { data } of commands) tried.push({ flow: data.name, ...(await walkFlow(walking, data.steps)) })
  return tried
}

/** Finds a template as the file would make it, else as it is; null if it is archived. */
const templateIn =
  ({ to, file }: Pick<Trying, 'to' | 'file'>, workspaceId: WorkspaceId) =>
  async (templateId: TemplateId): Promise<TemplateContent | null> => {
    const made = templateCommands(workspaceId, file).find(({ data }) => data.templateId === templateId)?.data
    if (made !== undefined) return made.archived ? null : made
    const known = await to.load(workspaceId, template, templateStream(workspaceId, templateId))
    return known.archived ? null : known.content
  }
