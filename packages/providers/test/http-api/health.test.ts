import { describe, expect, test } from 'vitest'
import { createHealth } from '../../src/http-api/health.ts'
import type { Outage } from '../../src/outage.ts'
import { carrierOf } from '../../src/throttle/phone-route.ts'
import type { RequestOutcome } from '../../src/twilio/read-answer.ts'

type Unsent = Extract<RequestOutcome, { response: string }>

const unanswered: Unsent = { failure: 'unconfirmed', response: 'no answer in time', waitMs: null, status: null, isByCode: false }
const unavailable: Unsent = { failure: 'temporary', response: 'HTTP 503', waitMs: null, status: 503, isByCode: false }
const refused: Unsent = { failure: 'refused', response: 'HTTP 400', waitMs: null, status: 400, isByCode: false }
const inactive: Unsent = { failure: 'outage', response: 'HTTP 400, 10001', waitMs: null, status: 400, isByCode: true }
const forbidden: Unsent = { failure: 'outage', response: 'HTTP 403', waitMs: null, status: 403, isByCode: false }

/** A health whose probe answers `works`, and what was found out. */
const watched = (works: boolean) => {
  const begun: string[] = []
  let probes = 0
  const outage: Outage = { reason: () => null, begin: (reason) => void begun.push(reason) }
  const probe = async () => {
    probes++
    return works
  }
  const health = createHealth({ outage, probe, groupOf: carrierOf })
  const isOutage = (outcome: RequestOutcome, to = '+972501234567') => health.isOutage(outcome, to)
  return { health, isOutage, begun, probes: () => probes }
}

describe('what is an outage', () => {
  test.each([unanswered, unavailable])('is asked with a request without a recipient after five failures in a row', async (outcome) => {
    const { isOutage, begun, probes } = watched(false)
    for (let n = 0; n < 4; n++) expect(await isOutage(outcome)).toBe(false)
    expect([probes(), begun]).toEqual([0, []])
    expect(await isOutage(outcome)).toBe(true)
    expect([probes(), begun]).toEqual([1, [expect.stringContaining(outcome.response)]])
  })

  test('five or fifty failures of one carrier’s numbers are none, where that request has its answer', async () => {
    const { isOutage, begun, probes } = watched(true)
    for (let n = 0; n < 50; n++) expect(await isOutage(unanswered, `+97250123456${n % 10}`)).toBe(false)
    expect([probes(), begun]).toEqual([10, []])
  })

  test('an answer, or a message that is taken, begins the row again', async () => {
    const { health, isOutage, probes } = watched(false)
    for (let n = 0; n < 12; n++) {
      expect(await isOutage(unanswered)).toBe(false)
      if (n % 4 === 3) health.accepted()
      else if (n % 4 === 1) expect(await isOutage(refused)).toBe(false)
    }
    expect(probes()).toBe(0)
  })

  test('what is said of the account to one number is that number’s, while a request without one works', async () => {
    const { isOutage, begun } = watched(true)
    for (let n = 0; n < 20; n++) expect(await isOutage(inactive)).toBe(false)
    for (let n = 0; n < 20; n++) expect(await isOutage(forbidden, `+9725012345${n}`)).toBe(false)
    expect(begun).toEqual([])
  })

  test('by its code to numbers of three carriers in a row it is the account’s', async () => {
    const { health, isOutage, begun } = watched(true)
    expect(await isOutage(inactive, '1')).toBe(false)
    expect(await isOutage(inactive, '2')).toBe(false)
    health.accepted()
    expect(await isOutage(inactive, '3')).toBe(false)
    expect(await isOutage(inactive, '4')).toBe(false)
    expect(await isOutage(inactive, '5')).toBe(true)
    expect(begun).toHaveLength(1)
  })

  test('and where that request fails too, with the first one', async () => {
    for (const outcome of [inactive, forbidden]) expect(await watched(false).isOutage(outcome)).toBe(true)
  })
})
