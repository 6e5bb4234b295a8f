import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumOrLeftOut, launch } from '../e2e/support/browser.ts'
import { buildPages } from '../e2e/support/dashboard.ts'
import { watchRebuild } from './rebuild-watched.ts'

const chromium = chromiumOrLeftOut()
const PEOPLE = Number(process.env.CHAOS_PEOPLE ?? 200_000)
const RECIPIENTS = 2_000

describe.runIf(chromium !== null)('an operator who rebuilds a projection', () => {
  let browser: Browser
  beforeAll(async () => {
    await buildPages()
    browser = await launch(chromium ?? '')
  })
  afterAll(() => browser?.close())

  it(`watches, compares and swaps ${PEOPLE} rows while a campaign is sent and the process that builds is killed`, async () => {
    const result = await watchRebuild(browser, { people: PEOPLE, recipients: RECIPIENTS })
    console.log(JSON.stringify(result, null, 2))
    const { interrupted, said, campaign, progress } = result
    expect(result).toMatchObject({ loaded: 0, problems: [] })
    expect(progress.backwards).toBe(0)
    expect(progress.forwards).toBeGreaterThan(0)
    expect(campaign).toMatchObject({ missing: 0, second: 0 })
    expect(interrupted).toContain('The process that did it has ended. The tables that serve are whole: ask for it again.')
    const equal = (PEOPLE + RECIPIENTS).toLocaleString('en')
    expect(said.compare).toContain(`profiles: ${equal} equal, 0 different, 0 only here, 0 only beside`)
    expect(said.compare).not.toMatch(/[1-9][\d,]* (different|only)/)
    for (const text of [said.swap, said.swapBack]) expect(text).toContain('can be swapped back until')
  }, 7_200_000)
})
