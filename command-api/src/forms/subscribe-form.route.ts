import { uuidv7 } from '@tidings/codec'
import { SubscribeBody, Subscribed } from '@tidings/contracts'
import type { DirectoryForm, DirectoryForms } from '@tidings/directory'
import { asApiKeyId, asContactId, type ContactId, type ListId, Refused, type WorkspaceId } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { emailRefusals } from '../messages/prepare-email.ts'
import { readDeclaredTexts } from '../profiles/declared-kinds.ts'
import { profileWriteRefusals } from '../profiles/profile-input.ts'
import { waitForAll } from '../wait-for-all.ts'
import { allowOrigin } from './allow-origin.ts'
import { askToConfirm } from './ask-to-confirm.ts'
import { formContext } from './form-context.ts'
import { readSubmission, type Submission } from './read-submission.ts'
import { subscribeContact, subscribeUnheard } from './subscribe-contact.ts'

const schema = {
  operationId: 'forms.subscribe',
  summary: 'Subscribe a visitor of an allowed origin',
  tags: ['forms'],
  body: SubscribeBody,
  response: { 200: Subscribed },
}

const config = {
  publishable: true,
  throttle: 'forms',
  refusals: ['embedded_forms_disabled', 'origin_not_allowed', 'form_archived', ...profileWriteRefusals, ...emailRefusals],
} as const

/** `POST /forms/subscribe`, from browsers: feature, origin, then what the form asks for (G28, G29). */
export function subscribeForm(app: App, deps: Dependencies): void {
  const options = { schema, config, onRequest: allowOrigin(deps) } as const
  app.post('/forms/subscribe', options, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { enabled, origins, forms, confirmation } = (await deps.directory.forms(workspaceId)) ?? noForms
    if (!enabled) throw new Refused('embedded_forms_disabled')
    if (!origins.includes(request.headers.origin ?? '')) throw new Refused('origin_not_allowed')
    const sent = readSubmission(request.body, (await deps.directory.workspace(workspaceId)).country)
    const form = forms.get(sent.formId ?? '') ?? { listId: null, confirmation, archived: false }
    if (form.archived) throw new Refused('form_archived')
    // Looks like a success, and writes and looks up nothing: the id is one that no contact has.
    if (sent.isTrapped) return answerOf(form, { contactId: asContactId(request.commandId), isNew: true })
    const submission = await withDeclaredKinds(deps, workspaceId, sent)
    const { positions, ...signedUp } = await signUp(deps, { request, submission, form })
    const made = request.tenant.isPublishable ? forPage() : signedUp
    await waitForAll(deps, reply, { positions, projections: form.listId === null ? ['profiles'] : ['profiles', 'lists'] })
    return answerOf(form, made)
  })
}

/** A form sends texts: a number or a truth value is one where the property is declared so. */
const withDeclaredKinds = async (deps: Dependencies, workspaceId: WorkspaceId, submission: Submission): Promise<Submission> => {
  const { customProperties: properties } = submission.details
  if (properties === undefined) return submission
  const customProperties = readDeclaredTexts({ kinds: await deps.directory.customFields(workspaceId), properties, named: 'fields' })
  return { ...submission, details: { ...submission.details, customProperties } }
}

/**
 * Anyone may have the key of a page (M63): the answer tells neither that an address was known nor the id of its contact, by which a browser could
 * be registered for somebody else. The id is one that no contact has, another each time, also where the contact is new (ADR 24).
 */
const forPage = (): SignedUp => ({ contactId: asContactId(uuidv7()), isNew: true })

type SignedUp = Readonly<{ contactId: ContactId; isNew: boolean }>

const noForms: DirectoryForms = { enabled: false, origins: [], forms: new Map(), confirmation: null }

const answerOf = (form: AnyForm, made: SignedUp): Subscribed => ({
  ok: true,
  ...made,
  ...(form.confirmation && { pending: true }),
})

/** The form that the visitor filled in: one of the workspace file, or one that it does not name, which joins no list (G29) and asks for what the workspace does. */
type AnyForm = Readonly<{ listId: ListId | null; confirmation: DirectoryForm['confirmation'] }>

type SigningUp = Readonly<{ request: FastifyRequest; submission: Submission; form: AnyForm }>

const signUp = (deps: Dependencies, { request, submission, form }: SigningUp) => {
  const context = formContext(request, submission.formId, deps.now())
  const keyId = asApiKeyId(request.tenant.keyId)
  const { listId, confirmation } = form
  const isAnonymous = request.tenant.isPublishable === true
  if (confirmation !== null)
    return askToConfirm(deps, { context, submission, listId, confirmation, keyId, isAnonymous, ip: request.clientAddress })
  const evidence = { ip: request.clientAddress, userAgent: request.headers['user-agent'] ?? null }
  const signingUp = { context, submission, listId, keyId, evidence }
  return isAnonymous ? subscribeUnheard(deps, signingUp) : subscribeContact(deps, { ...signingUp, isAnonymous })
}
