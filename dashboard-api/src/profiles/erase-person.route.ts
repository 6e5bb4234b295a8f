import { appendContext, waitUntilVisible } from '@tidings/administration'
import { AskedErasure, ContactParams, EraseBody } from '@tidings/contracts'
import { type ContactId, type ContactState, contact, contactStream } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { knownContact } from './known-contact.ts'

const schema = {
  operationId: 'profiles.erase',
  summary: 'Forget a person for ever',
  description:
    'A fact from the answer on: the person is unknown, and the addresses are free. A process with the role `consumers` does the rest within minutes, however often it is killed; `GET /erasures/{id}` has what became of it.',
  tags: ['profiles'],
  params: ContactParams,
  body: EraseBody,
  response: { 202: AskedErasure },
}

const config = { access: 'session', dashboard: { role: 'admin' }, refusals: ['contact_not_found', 'changed_meanwhile'] } as const

/** What has to be typed stands for the etag: the person that was seen is the one that goes. */
export function erasePerson(app: App, deps: Pick<DashboardDependencies, 'log' | 'commands' | 'readSide' | 'now'>): void {
  app.post('/profiles/:id/erasure', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const contactId = request.params.id
    await knownContact(deps, { workspaceId, contactId })
    const stream = contactStream(workspaceId, contactId)
    const isTyped = (state: ContactState): boolean => sameText(wordOf(state, contactId), request.body.confirm)
    const { state } = await deps.commands.load({ decider: contact, workspaceId, stream })
    if (!isTyped(state))
      throw invalidRequest('confirm must be the email address of the person; without one the phone number, and without both the id')
    const { position } = await deps.commands.execute({
      decider: contact,
      stream,
      command: { type: 'RequestErasure', data: { contactId } },
      context: appendContext(request, deps.now()),
      expects: isTyped,
    })
    await waitUntilVisible(deps, reply, { position, projections: ['profiles'] })
    reply.code(202)
    return { contactId }
  })
}

const wordOf = ({ email, phone }: ContactState, contactId: ContactId): string => email ?? phone ?? contactId

const sameText = (one: string, other: string): boolean => one.toLowerCase() === other.trim().toLowerCase()
