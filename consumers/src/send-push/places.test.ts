import { describe, expect, it } from 'vitest'
import { createPlaces, untilPlace } from './places.ts'

/** How many of so many tries got a place. */
const got = (tries: number, one: () => unknown): number => Array.from({ length: tries }, one).filter((leave) => leave !== null).length

describe('the places of a lane', () => {
  it('are half for one workspace, and an eighth for each that comes later', () => {
    const { forWorkspace } = createPlaces(128)
    expect(got(200, () => forWorkspace('a'))).toBe(64)
    expect(got(200, () => forWorkspace('b'))).toBe(16)
    expect(got(200, () => forWorkspace('c'))).toBe(16)
  })

  it('are had again once they were left', () => {
    const { forWorkspace, forServices } = createPlaces(2)
    for (const take of [() => forWorkspace('a'), () => forServices(['https://push.example/1'])]) {
      const leave = take()
      expect(take()).toBeNull()
      leave?.()
      expect(take()).not.toBeNull()
    }
  })

  it('are three quarters for one push service, from all workspaces together, and the rest for others', () => {
    const { forServices } = createPlaces(128)
    let n = 0
    expect(got(200, () => forServices([`https://slow.example/${n++}`]))).toBe(96)
    expect(forServices(['https://good.example/1', 'https://slow.example/1'])).toBeNull()
    expect(got(32, () => forServices(['https://good.example/1']))).toBe(32)
  })

  it('count a message once at a push service, however many browsers it has there', () => {
    const { forServices } = createPlaces(4)
    const three = ['https://push.example/1', 'https://push.example/2', 'https://push.example/3']
    expect(got(9, () => forServices(three))).toBe(3)
  })

  it('are waited for without using up a try', () => {
    expect(untilPlace()).toMatchObject({ counts: false, reason: expect.any(String) })
  })
})
