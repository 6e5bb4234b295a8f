import { describe, expect, it } from 'vitest'
import { chromiumOrLeftOut, launch } from '../e2e/support/browser.ts'
import { buildPages, openDashboard } from '../e2e/support/dashboard.ts'
import { browserStepsOf } from './browser-steps.ts'
import { startTidings } from './service.ts'
import { runInOneShell } from './shell.ts'
import { expectShown, stepsOf } from './tutorial-steps.ts'

const PAGE = 'docs/tutorial/first-look-at-the-dashboard.md'
const chromium = chromiumOrLeftOut()

describe.runIf(chromium !== null)(PAGE, () => {
  it('does what it says, in the shell and then in the browser', async () => {
    await buildPages()
    const service = await startTidings()
    const browser = await launch(chromium ?? '')
    try {
      const steps = stepsOf(PAGE)
      const env = { ...service.env, TIDINGS_URL: service.url, TIDINGS_KEY: service.key }
      const printed = await runInOneShell(
        steps.map(({ script }) => script.text),
        { env, withNpm: false },
      )
      const shown = steps.flatMap((step, index) => (step.shown === undefined ? [] : [{ shown: step.shown, text: printed[index] ?? '' }]))
      expect(shown.length).toBeGreaterThan(1)
      for (const one of shown) expectShown(one.text, one.shown)
      const [, token = ''] = /\/dashboard\/link#(\S+)/.exec(printed.join('\n')) ?? []
      const { page, problems } = await openDashboard(browser, PAGE, { width: 1280, scheme: 'light', language: 'en' })
      await page.goto(`${service.url}/dashboard/link#${token}`)
      await page.getByRole('button', { name: /^Account/ }).waitFor()
      const browserSteps = browserStepsOf(PAGE)
      expect(browserSteps.length).toBeGreaterThan(15)
      for (const { line, act } of browserSteps)
        await act(page).catch((error: unknown) => {
          throw new Error(`${PAGE}:${line} could not be done`, { cause: error })
        })
      expect(problems).toEqual([])
    } finally {
      await browser.close()
      await service.stop()
    }
  })
})
