import { specFor } from '@tidings/testing/decider-spec'
import { expect, it } from 'vitest'
import { type AddressFacts, type ClaimEvent, claim, claimStream, noFacts } from '../../src/claim/claim.ts'
import { asContactId, asWorkspaceId, type ContactId } from '../../src/ids.ts'

const { given } = specFor(claim)

const taken = (claimId: string, ownerId: ContactId): ClaimEvent => ({ type: 'ClaimTaken', data: { claimId, ownerId } })
const released = (claimId: string): ClaimEvent => ({ type: 'ClaimReleased', data: { claimId } })

it('a value has one stream in its workspace, named by its digest', () => {
  expect(claimStream(asWorkspaceId('w'), 'email', 'd1gest')).toBe('claim-w-email.d1gest')
})

it('a free value is taken', () => {
  given()
    .when({ type: 'TakeClaim', data: { claimId: '1', ownerId: asContactId('ada') } })
    .thenEvents(taken('1', asContactId('ada')))
  given(taken('1', asContactId('ada')), released('1'))
    .when({ type: 'TakeClaim', data: { claimId: '2', ownerId: asContactId('bob') } })
    .thenEvents(taken('2', asContactId('bob')))
})

it('a taken value is refused, also to its own owner under another claim', () => {
  given(taken('1', asContactId('ada')))
    .when({ type: 'TakeClaim', data: { claimId: '2', ownerId: asContactId('bob') } })
    .thenRefused('claim_held')
  given(taken('1', asContactId('ada')))
    .when({ type: 'TakeClaim', data: { claimId: '2', ownerId: asContactId('ada') } })
    .thenRefused('claim_held')
})

it('the refusal names the holder', () => {
  const held = claim.evolve(claim.initialState, taken('1', asContactId('ada')))
  expect(() => claim.decide({ type: 'TakeClaim', data: { claimId: '2', ownerId: asContactId('bob') } }, held)).toThrow(
    expect.objectContaining({ context: { claimId: '1', ownerId: 'ada' } }),
  )
})

it('a value is taken over from exactly the claim that was settled', () => {
  const takeOver = { type: 'TakeClaim', data: { claimId: '3', ownerId: asContactId('bob'), insteadOf: '1' } } as const
  given(taken('1', asContactId('ada')))
    .when(takeOver)
    .thenEvents(taken('3', asContactId('bob')))
  given(taken('1', asContactId('ada')), taken('2', asContactId('eve')))
    .when(takeOver)
    .thenRefused('claim_held')
})

it('a release frees only the claim that it names', () => {
  given(taken('1', asContactId('ada')))
    .when({ type: 'ReleaseClaim', data: { claimId: '1' } })
    .thenEvents(released('1'))
  given(taken('2', asContactId('bob')))
    .when({ type: 'ReleaseClaim', data: { claimId: '1' } })
    .thenNothing()
  given()
    .when({ type: 'ReleaseClaim', data: { claimId: '1' } })
    .thenNothing()
})

const dead: AddressFacts = { reasons: ['hard_bounce'], validation: 'valid', unreachable: false }
const noted = (facts: AddressFacts): ClaimEvent => ({ type: 'AddressFactsNoted', data: facts })

it('what a contact’s stream says is kept where nothing was noted before, else its validation alone', () => {
  const keep = { type: 'KeepAddressFacts', data: dead } as const
  given(taken('1', asContactId('ada')))
    .when(keep)
    .thenEvents(noted(dead))
  given(noted({ ...noFacts, unreachable: true }))
    .when(keep)
    .thenEvents(noted({ ...noFacts, unreachable: true, validation: 'valid' }))
  given(noted({ ...noFacts, validation: 'valid' }))
    .when(keep)
    .thenNothing()
})

it('a lifting is noted also where nothing is known, so that no contact’s stream brings back what it lifted; and once', () => {
  const lift = { type: 'LiftAddressFacts', data: {} } as const
  given().when(lift).thenEvents(noted(noFacts))
  given(noted(dead))
    .when(lift)
    .thenEvents(noted({ ...noFacts, validation: 'valid' }))
  given(noted(noFacts)).when(lift).thenNothing()
})
