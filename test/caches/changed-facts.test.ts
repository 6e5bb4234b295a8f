import type { Recorded } from '@tidings/codec'
import { Profile } from '@tidings/contracts'
import { factsOf } from '@tidings/directory'
import { asContactId, type ContactEvent, changedFacts, contact, EVERY_FACT, ruleField } from '@tidings/domain'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contactLife } from '../../projectors/test/contact-events.ts'
import { recorded } from '../../projectors/test/recorded.ts'

// A contact is reviewed for the lists whose rules read what an event changes: memberships are a cache of the facts, and this is what drops them.

test('every field of the profile is a field of rules', () => {
  const own = Object.keys(Profile.properties).filter((field) => field !== 'customProperties')
  expect(own.length).toBeGreaterThan(20)
  expect(own.filter((field) => ruleField(field) === null)).toEqual([])
})

/** The facts by the names of `ruleField`; null for a contact that does not exist. */
const factsAfter = (events: readonly Recorded<ContactEvent>[]): Readonly<Record<string, unknown>> | null => {
  const state = events.reduce(contact.evolve, contact.initialState)
  if (!state.exists) return null
  const { profile, tags, customProperties } = factsOf({ state, events }, new Map())
  return { ...profile, tags, customProperties }
}

test('an event names every fact that it changes', () => {
  const changes = new Set<string>()
  fc.assert(
    fc.property(contactLife(asContactId('5f0e7e3a-7b52-4a3c-9d5e-0d3a6a6f0c01')), (life) => {
      const events = recorded(life) as readonly Recorded<ContactEvent>[]
      for (const [n, event] of events.entries()) {
        const [before, after] = [factsAfter(events.slice(0, n)), factsAfter(events.slice(0, n + 1))]
        const named = changedFacts(event)
        if (after === null || named.includes(EVERY_FACT)) continue
        const changed = Object.keys(after).filter((fact) => JSON.stringify(after[fact]) !== JSON.stringify(before?.[fact]))
        expect(named).toEqual(expect.arrayContaining(changed))
        for (const fact of changed) changes.add(fact)
      }
    }),
    { numRuns: 500 },
  )
  expect([...changes]).toEqual(expect.arrayContaining(['emailSuppressed', 'smsSuppressed', 'tags', 'pushConsent', 'emailValidationState']))
})
