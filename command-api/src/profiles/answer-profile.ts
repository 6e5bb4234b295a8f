import { waitUntilVisible } from '@tidings/administration'
import type { Profile } from '@tidings/contracts'
import { type ConsentChannel, type ContactId, type ContactState, factsOfState } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { shownDetails } from '@tidings/read-models'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'

/** The profile as the write left it, where the read side does not show it yet. */
const profileOf = (contactId: ContactId, state: ContactState, { shown, at }: Readonly<{ shown: Profile | null; at: string }>): Profile => {
  const consentAt = (channel: ConsentChannel): string | null => {
    const before = shown?.[`${channel}Consent`] ?? 'never_subscribed'
    return before === state.consents[channel] ? (shown?.[`${channel}ConsentTimestamp`] ?? null) : at
  }
  return {
    id: contactId,
    ...factsOfState(state, { email: consentAt('email'), sms: consentAt('sms'), push: consentAt('push') }),
    ...shownDetails(state.details),
    rfmTier: shown?.rfmTier ?? null,
    createdAt: shown?.createdAt ?? at,
    updatedAt: at,
  }
}

type Written = Readonly<{ contactId: ContactId; state: ContactState; position: Position | null; at: string }>

/** Answers a profile write with the profile as it reads now, or as it will read once the read side has caught up. */
export async function answerProfile(deps: Dependencies, request: FastifyRequest, reply: FastifyReply, written: Written): Promise<Profile> {
  const { contactId, state, position, at } = written
  const outcome = await waitUntilVisible(deps, reply, { position, projections: ['profiles'] })
  const shown = await deps.findProfile(request.tenant.workspaceId, contactId)
  return outcome === 'visible' && shown ? shown : profileOf(contactId, state, { shown, at })
}
