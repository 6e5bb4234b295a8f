import { asWorkspaceId } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { createServiceCredits } from '../../src/send-push/service-credits.ts'
import { createSlots, type Slots, untilSlot } from '../../src/send-push/slots.ts'

const [QUICK, SLOW] = [1_000, 1_001]
const answer = ({ noteAnswer }: Slots, endpoint: string, ms: number, times: number): void => {
  for (let n = 0; n < times; n++) noteAnswer(endpoint, ms)
}

/** Counts the tries that got a slot. */
const got = (tries: number, one: () => unknown): number => Array.from({ length: tries }, one).filter((leave) => leave !== null).length

describe('the slots of a lane', () => {
  it('are half for one workspace, and an eighth for each that comes later', () => {
    const { forWorkspace } = createSlots(128)
    expect(got(200, () => forWorkspace(asWorkspaceId('a')))).toBe(64)
    expect(got(200, () => forWorkspace(asWorkspaceId('b')))).toBe(16)
    expect(got(200, () => forWorkspace(asWorkspaceId('c')))).toBe(16)
  })

  it('are had again once they were left', () => {
    const { forWorkspace, forServices } = createSlots(2)
    for (const take of [() => forWorkspace(asWorkspaceId('a')), () => forServices(asWorkspaceId('a'), ['https://push.example/1'])]) {
      const leave = take()
      expect(take()).toBeNull()
      leave?.()
      expect(take()).not.toBeNull()
    }
  })

  it('are three quarters for one push service, from all workspaces together, and the rest for others', () => {
    const slots = createSlots(128)
    answer(slots, 'https://slow.example/', QUICK, 128)
    answer(slots, 'https://good.example/', QUICK, 128)
    let n = 0
    expect(got(200, () => slots.forServices(asWorkspaceId(`workspace-${n}`), [`https://slow.example/${n++}`]))).toBe(96)
    expect(slots.forServices(asWorkspaceId('a'), ['https://good.example/1', 'https://slow.example/1'])).toBeNull()
    expect(got(32, () => slots.forServices(asWorkspaceId('a'), ['https://good.example/1']))).toBe(32)
  })

  it('count a message once at a push service, however many browsers it has there', () => {
    const slots = createSlots(4)
    answer(slots, 'https://push.example/', QUICK, 4)
    const three = ['https://push.example/1', 'https://push.example/2', 'https://push.example/3']
    expect(got(9, () => slots.forServices(asWorkspaceId('a'), three))).toBe(3)
  })

  it('that push services without quick answers take are an eighth for each, an eighth for a workspace, and never the last quarter', () => {
    const slots = createSlots(128)
    answer(slots, 'https://good.example/', QUICK, 128)
    expect(got(200, () => slots.forServices(asWorkspaceId(crypto.randomUUID()), ['https://one.example/']))).toBe(16)
    expect(got(200, () => slots.forServices(asWorkspaceId('a'), [`https://${crypto.randomUUID()}.example/`]))).toBe(16)
    expect(got(200, () => slots.forServices(asWorkspaceId(crypto.randomUUID()), [`https://${crypto.randomUUID()}.example/`]))).toBe(64)
    expect(got(200, () => slots.forServices(asWorkspaceId('a'), ['https://good.example/']))).toBe(96)
  })

  it('are earned at a push service by quick answers, and lost by slow ones', () => {
    const held = (...answers: readonly (readonly [ms: number, times: number])[]): number => {
      const slots = createSlots(128)
      for (const [ms, times] of answers) answer(slots, 'https://push.example/', ms, times)
      return got(200, () => slots.forServices(asWorkspaceId('a'), ['https://push.example/']))
    }
    expect(held()).toBe(16)
    expect(held([QUICK, 40])).toBe(40 + 16)
    expect(held([QUICK, 500])).toBe(96)
    expect(held([QUICK, 40], [SLOW, 1])).toBe(20 + 16)
    expect(held([QUICK, 500], [SLOW, 7])).toBe(16)
  })

  it('are remembered for a bounded number of push services: those heard of last', () => {
    const credits = createServiceCredits(96)
    for (let n = 0; n < 1_001; n++) credits.note(`https://${n}.example`, QUICK)
    expect([0, 1, 1_000].map((n) => credits.of(`https://${n}.example`))).toEqual([0, 1, 1])
  })

  it('are waited for without using up a try', () => {
    expect(untilSlot()).toMatchObject({ counts: false, deferredFor: 'no_free_slot' })
  })
})
