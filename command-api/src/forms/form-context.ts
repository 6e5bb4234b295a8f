import { appendContext } from '@tidings/administration'
import type { AppendContext } from '@tidings/codec'
import type { FormId } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'

/** A label as pages have them. Another text may be a person's, and `actor` is stored in clear. */
const LABEL = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,119}$/

/** The actor of a sign-up through a form (D1): `form:<formId>`, and `form` alone where the page gave no label. */
export function formActor(formId: FormId | null): string {
  return formId !== null && LABEL.test(formId) ? `form:${formId}` : 'form'
}

/** Every event of a submission is the form's; the API key of the page is in the sign-up. */
export function formContext(
  request: Pick<FastifyRequest, 'tenant' | 'user' | 'commandId' | 'id' | 'headers'>,
  formId: FormId | null,
  at: string,
): AppendContext {
  return { ...appendContext(request, at), actor: formActor(formId) }
}
