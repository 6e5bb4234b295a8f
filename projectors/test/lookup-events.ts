import {
  asListId,
  asTemplateId,
  type CampaignEvent,
  type CampaignId,
  CUSTOM_FIELD_KINDS,
  type CustomEventEvent,
  type CustomFieldEvent,
  FIRST_CAMPAIGN_STATUSES,
  type SenderIdsEvent,
} from '@tidings/domain'
import fc from 'fast-check'
import { maybe, words } from './arbitraries.ts'

const option = fc.record({ label: words, value: words })

/** A custom field that is described up to three times. */
export function customFieldLife(fieldId: string): fc.Arbitrary<readonly CustomFieldEvent[]> {
  return fc
    .tuple(
      words,
      fc.array(fc.record({ label: words, kind: fc.constantFrom(...CUSTOM_FIELD_KINDS), options: fc.array(option, { maxLength: 2 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
    )
    .map(([key, all]) => all.map((described) => ({ type: 'CustomFieldConfigured', data: { fieldId, key, ...described } })))
}

/** A custom event that is described up to three times. */
export function customEventLife(eventId: string): fc.Arbitrary<readonly CustomEventEvent[]> {
  return fc
    .tuple(
      words,
      fc.array(fc.record({ label: words, properties: fc.array(words, { maxLength: 3 }), retired: fc.boolean() }), {
        minLength: 1,
        maxLength: 3,
      }),
    )
    .map(([name, all]) => all.map((described) => ({ type: 'CustomEventDeclared', data: { eventId, name, ...described } })))
}

const senderMoves = fc.subarray(['SmsSenderIdApproved', 'SmsSenderIdDeactivated', 'SmsSenderIdRejected', 'SmsSenderIdRequested'] as const)

/** The SMS sender IDs of one workspace. */
export const senderIdsLife: fc.Arbitrary<readonly SenderIdsEvent[]> = fc
  .uniqueArray(words, { maxLength: 3 })
  .chain((names) => fc.tuple(...names.map((senderId) => fc.tuple(fc.constant(senderId), senderMoves, maybe(words)))))
  .map((all) =>
    all.flatMap(([senderId, moves, reason]) => [
      { type: 'SmsSenderIdRequested' as const, data: { senderId } },
      ...moves.map(
        (type): SenderIdsEvent => (type === 'SmsSenderIdRejected' ? { type, data: { senderId, reason } } : { type, data: { senderId } }),
      ),
    ]),
  )

const settings = fc.record({
  tagIds: fc.array(fc.uuid(), { maxLength: 2 }),
  listId: maybe(fc.uuid().map(asListId)),
  templateId: maybe(fc.uuid().map(asTemplateId)),
  senderAddressId: maybe(fc.uuid()),
  senderId: maybe(words),
  archived: fc.boolean(),
  variants: fc.integer({ min: 1, max: 5 }),
})

const named = fc.record({ name: words, channel: fc.constantFrom('email', 'sms'), status: fc.constantFrom(...FIRST_CAMPAIGN_STATUSES) })

const plan = { listId: null, variants: [], senderAddressId: null, senderId: null, quietHours: 'wait' } as const

/** A campaign from its creation on. */
export function campaignLife(campaignId: CampaignId): fc.Arbitrary<readonly CampaignEvent[]> {
  return fc
    .tuple(
      named,
      settings,
      fc.array(
        fc.oneof(
          settings.map((changed): CampaignEvent => ({ type: 'CampaignChanged', data: { campaignId, ...changed } })),
          fc.constant<CampaignEvent>({ type: 'CampaignScheduled', data: { campaignId, scheduleAt: '2027-01-01T00:00:00.123Z' } }),
          fc.constant<CampaignEvent>({ type: 'CampaignUnscheduled', data: { campaignId } }),
          fc.constantFrom<CampaignEvent>(
            { type: 'CampaignStarted', data: { campaignId, startedAt: '2027-01-01T00:00:00.123Z', ...plan } },
            { type: 'CampaignAudienceTaken', data: { campaignId, recipients: 3 } },
            { type: 'CampaignPaused', data: { campaignId, reason: 'operator' } },
            { type: 'CampaignResumed', data: { campaignId } },
            { type: 'CampaignCancelled', data: { campaignId } },
            { type: 'CampaignSent', data: { campaignId } },
            { type: 'CampaignFailed', data: { campaignId, reason: 'no_audience' } },
          ),
        ),
        { maxLength: 6 },
      ),
    )
    .map(([first, described, events]) => [{ type: 'CampaignCreated', data: { campaignId, ...first, ...described } }, ...events])
}
