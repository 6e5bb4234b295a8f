import { SubscribeBody, Subscribed } from '@tidings/contracts'
import type { DirectoryForms } from '@tidings/directory'
import { Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { allowOrigin } from './allow-origin.ts'
import { formContext } from './form-context.ts'
import { readSubmission, type Submission } from './read-submission.ts'
import { subscribeContact } from './subscribe-contact.ts'
import { waitForAll } from './wait-for-all.ts'

const schema = {
  operationId: 'forms.subscribe',
  summary: 'Subscribe a visitor of an allowed origin',
  tags: ['forms'],
  body: SubscribeBody,
  response: { 200: Subscribed },
}

/** `POST /forms/subscribe`, from browsers: feature, origin, then what the form asks for (G28, G29). */
export function subscribeForm(app: App, deps: Dependencies): void {
  const options = { schema, config: { throttle: 'forms' }, onRequest: allowOrigin(deps) } as const
  app.post('/forms/subscribe', options, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { enabled, origins, forms } = (await deps.directory.forms(workspaceId)) ?? noForms
    if (!enabled) throw new Refused('embedded_forms_disabled')
    if (!origins.has(request.headers.origin ?? '')) throw new Refused('origin_not_allowed')
    const submission = readSubmission(request.body, (await deps.directory.workspace(workspaceId)).country)
    const form = forms.get(submission.formId ?? '') ?? null
    // Looks like a success and writes nothing: the id is one that no contact has.
    if (submission.isTrapped) return { ok: true as const, contactId: request.commandId, isNew: true }
    return await subscribe(deps, { request, reply, submission, listId: form?.listId ?? null })
  })
}

const noForms: DirectoryForms = { enabled: false, origins: new Set(), forms: new Map() }

type Subscribing = Readonly<{ request: FastifyRequest; reply: FastifyReply; submission: Submission; listId: string | null }>

async function subscribe(deps: Dependencies, { request, reply, submission, listId }: Subscribing): Promise<Subscribed> {
  const { contactId, isNew, positions } = await subscribeContact(deps, {
    context: formContext(request, submission.formId, deps.now()),
    submission,
    listId,
    keyId: request.tenant.keyId,
    evidence: { ip: request.ip, userAgent: request.headers['user-agent'] ?? null },
  })
  await waitForAll(deps, reply, { positions, projections: listId === null ? ['profiles'] : ['profiles', 'lists'] })
  return { ok: true, contactId, isNew }
}
