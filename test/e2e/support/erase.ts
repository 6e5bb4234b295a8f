import { createCommandRunner } from '@tidings/commands'
import { asContactId, asWorkspaceId, contact, contactStream } from '@tidings/domain'
import { PATIENT_MS } from '@tidings/testing'
import type { Client } from './client.ts'
import type { World } from './world.ts'

/** Asks for an erasure as `tidings contact erase` does, and does no more for it. */
export async function askToErase({ stores: { log } }: World, { applied }: Client, id: string): Promise<void> {
  const workspaceId = asWorkspaceId(applied.workspace.id)
  const contactId = asContactId(id)
  await createCommandRunner({ log, deadlineMs: PATIENT_MS }).execute({
    decider: contact,
    stream: contactStream(workspaceId, contactId),
    command: { type: 'RequestErasure', data: { contactId } },
    context: { commandId: crypto.randomUUID(), workspaceId, actor: 'operator', requestId: 'test', at: new Date().toISOString() },
  })
}
