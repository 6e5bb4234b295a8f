import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumOrLeftOut, launch } from '../e2e/support/browser.ts'
import { buildPages } from '../e2e/support/dashboard.ts'
import { killDashboard, READ_WELL } from './kill-dashboard.ts'

const chromium = chromiumOrLeftOut()
const PRESSES = Number(process.env.CHAOS_ROUNDS ?? 20)

describe.runIf(chromium !== null)('people who work in the dashboard while each role is killed', () => {
  let browser: Browser
  beforeAll(async () => {
    await buildPages()
    browser = await launch(chromium ?? '')
  })
  afterAll(() => browser?.close())

  it.each(['gateway', 'command-api'] as const)(
    'read what happens, lose nothing and double nothing: %s',
    async (at) => {
      const result = await killDashboard(browser, { at, underWay: PRESSES })
      console.log(JSON.stringify(result, null, 2))
      expect(result).toMatchObject(READ_WELL)
      expect(new Set(Object.values(result.made))).toEqual(new Set([1]))
      expect(Object.keys(result.made)).toHaveLength(PRESSES + 2)
    },
    3_600_000,
  )
})
