import { appendContext } from '@tidings/administration'
import type { AppendContext } from '@tidings/codec'
import { type FormId, isFormLabel } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'

/** The actor of a sign-up through a form (D1): `form:<formId>`, and `form` alone where the page gave no label. */
export function formActor(formId: FormId | null): string {
  return formId !== null && isFormLabel(formId) ? `form:${formId}` : 'form'
}

/** Every event of a submission is the form's; the API key of the page is in the sign-up. */
export function formContext(
  request: Pick<FastifyRequest, 'tenant' | 'user' | 'commandId' | 'id' | 'headers'>,
  formId: FormId | null,
  at: string,
): AppendContext {
  return { ...appendContext(request, at), actor: formActor(formId) }
}
