import { startTestPostgres } from '@tidings/testing'
import type { Browser, Page } from 'playwright-core'
import { openDashboard } from '../e2e/support/dashboard.ts'
import { type Installation, install } from '../e2e/support/installation.ts'
import { type Stack, startStack } from '../e2e/support/stack.ts'

/** The roles as processes over a Postgres of their own, and two people who work: `page` is an owner's, `operators` that of an operator. */
export type DashboardWorld = Readonly<{
  installation: Installation
  stack: Stack
  page: Page
  operators: Page
  /** What the consoles of both say, but that a request was not answered. */
  problems: () => readonly string[]
  stop: () => Promise<void>
}>

const SLUG = 'shop'
export const TEMPLATE = 'Welcome'
const OWNER = 'owner@shop.example'
const OPERATOR = 'operator@tidings.example'
const FILE = `workspace: { slug: ${SLUG}, name: Shop }
users: [{ email: ${OWNER}, password: correct horse battery, role: owner }]
senderDomains: [{ domain: shop.example, verified: true }]
senderAddresses: [{ email: hello@shop.example, name: Hello, verified: true }]
templates: [{ name: ${TEMPLATE}, channel: email, subject: Before, html: "<p>Hello</p>" }]`

/** What a browser says of a request to a process that is away; the page says it in its own words. */
const UNANSWERED = /net::ERR_|with a status of 50\d|Failed to fetch dynamically imported module|Unable to preload CSS/

const tokenOf = (made: unknown): string => {
  const { url = '' } = made as Readonly<{ url?: string }>
  return new URL(url).hash.slice(1)
}

/** `at`: what the browsers ask, which is the gateway, or `command-api` itself without one. */
export async function startDashboardWorld(browser: Browser, at: 'gateway' | 'command-api'): Promise<DashboardWorld> {
  const postgres = await startTestPostgres()
  const installation = await install(postgres.url)
  const stack = await startStack(installation.env)
  await installation.tidings(['apply', '-f', '-'], FILE)
  await installation.shown()
  const url = at === 'gateway' ? stack.url : stack.of('command-api').url
  const opened = async (who: string, made: unknown, title: string) => {
    const open = await openDashboard(browser, `kill dashboard ${at} ${who}`, { width: 1280, scheme: 'light', language: 'en' })
    await open.page.goto(`${url}/dashboard/link#${tokenOf(made)}`)
    // An operator has no password yet.
    if (title === 'System') await open.page.getByRole('button', { name: 'Later', exact: true }).click()
    await open.page.getByRole('heading', { name: title, level: 1, exact: true }).waitFor()
    return open
  }
  const person = await opened('owner', await installation.tidings(['user', 'link', '--workspace', SLUG, '--email', OWNER]), 'Overview')
  const operator = await opened('operator', await installation.tidings(['operator', 'add', '--email', OPERATOR]), 'System')
  return {
    installation,
    stack,
    page: person.page,
    operators: operator.page,
    problems: () => [...person.problems, ...operator.problems].filter((problem) => !UNANSWERED.test(problem)),
    stop: async () => {
      await Promise.all([person.close(), operator.close()])
      await stack.stop()
      await installation.close()
      await postgres.stop()
    },
  }
}
