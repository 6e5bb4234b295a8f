import { exampleIds, exampleTime } from './examples.ts'
import { Timestamp, Uuid } from './kinds.ts'

/** The fields that the data of nearly every webhook event has. */
export const cause = { contactId: Uuid, occurredAt: Timestamp }
export const causeSentences = { contactId: 'The UUID of the contact.', occurredAt: 'When it happened.' } as const
export const causeExample = { contactId: exampleIds.contact, occurredAt: exampleTime }
