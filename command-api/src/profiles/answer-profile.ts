import type { Profile } from '@tidings/contracts'
import type { ContactState } from '@tidings/domain'
import type { ResolvedContact } from '@tidings/unique-contacts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { waitUntilVisible } from '../read-your-writes.ts'

const stamp = (shown: string | null, before: string, after: string, at: string): string | null => (before === after ? shown : at)

/** The profile as the write left it, where the read side does not show it yet. */
const profileOf = (contactId: string, state: ContactState, { shown, at }: Readonly<{ shown: Profile | null; at: string }>): Profile => ({
  id: contactId,
  email: state.email,
  phone: state.phone,
  ...state.details,
  tags: [...state.details.tags],
  customProperties: { ...state.details.customProperties },
  emailConsent: state.consents.email,
  smsConsent: state.consents.sms,
  pushConsent: state.consents.push,
  emailConsentTimestamp: stamp(shown?.emailConsentTimestamp ?? null, shown?.emailConsent ?? 'never_subscribed', state.consents.email, at),
  smsConsentTimestamp: stamp(shown?.smsConsentTimestamp ?? null, shown?.smsConsent ?? 'never_subscribed', state.consents.sms, at),
  pushConsentTimestamp: stamp(shown?.pushConsentTimestamp ?? null, shown?.pushConsent ?? 'never_subscribed', state.consents.push, at),
  emailValidationState: state.emailValidation,
  rfmTier: shown?.rfmTier ?? null,
  emailSuppressed: state.suppressions.email.length > 0,
  smsSuppressed: state.suppressions.sms.length > 0,
  createdAt: shown?.createdAt ?? at,
  updatedAt: at,
})

type Written = Pick<ResolvedContact, 'contactId' | 'state' | 'position'> & Readonly<{ at: string }>

/** Answers a profile write with the profile as it reads now, or as it will read once the read side has caught up. */
export async function answerProfile(deps: Dependencies, request: FastifyRequest, reply: FastifyReply, written: Written): Promise<Profile> {
  const { contactId, state, position, at } = written
  const outcome = await waitUntilVisible(deps, reply, { position, projections: ['profiles'] })
  const shown = await deps.findProfile(request.tenant.workspaceId, contactId)
  return outcome === 'visible' && shown ? shown : profileOf(contactId, state, { shown, at })
}
