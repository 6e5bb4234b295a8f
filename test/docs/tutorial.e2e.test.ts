import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedService, startTidings } from './service.ts'
import { runInOneShell } from './shell.ts'
import { expectShown, stepsOf } from './tutorial-steps.ts'

const tutorials = [
  { page: 'docs/tutorial/first-email.md', settings: {}, atLeast: 10 },
  {
    page: 'docs/tutorial/first-webhook.md',
    settings: { TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_WEBHOOK_BACKOFF_MS: '200' },
    atLeast: 4,
  },
  { page: 'docs/tutorial/log-in-by-passcode.md', settings: {}, atLeast: 7 },
  { page: 'docs/tutorial/first-flow.md', settings: { TIDINGS_WEBHOOK_ALLOW_LOCAL: '1' }, atLeast: 4 },
  { page: 'docs/tutorial/first-campaign.md', settings: {}, atLeast: 5 },
  { page: 'docs/tutorial/your-own-read-model.md', settings: {}, atLeast: 6 },
  { page: 'docs/tutorial/why-a-message.md', settings: {}, atLeast: 4 },
  { page: 'docs/tutorial/audit-a-consent.md', settings: {}, atLeast: 6 },
  { page: 'docs/tutorial/forget-a-person.md', settings: {}, atLeast: 4 },
  { page: 'docs/tutorial/query-the-log-with-duckdb.md', settings: {}, atLeast: 4 },
] as const

describe.each(tutorials)('$page', ({ page, settings, atLeast }) => {
  const steps = stepsOf(page)
  let service: StartedService
  let printed: readonly string[]

  beforeAll(async () => {
    service = await startTidings(settings)
    const env = { ...service.env, TIDINGS_URL: service.url, TIDINGS_KEY: service.key }
    printed = await runInOneShell(
      steps.map(({ script }) => script.text),
      // One page shows that npm hands its arguments on.
      { env, withNpm: page === tutorials[0].page },
    )
  })
  afterAll(() => service?.stop())

  it('has steps, and most of them show what they print', () => {
    expect(steps.length).toBeGreaterThan(atLeast)
    expect(steps.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(atLeast)
  })

  it.each(steps.flatMap(({ script, shown }, index) => (shown === undefined ? [] : [{ line: script.line, shown, index }])))(
    'the step in line $line prints what is shown under it',
    ({ shown, index }) => expectShown(printed[index] ?? '', shown),
  )
})
