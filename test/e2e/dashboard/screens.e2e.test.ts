import { TAG_COLORS } from '@tidings/domain'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paths } from '../../../dashboard/src/paths.ts'
import { chromiumOrLeftOut, launch } from '../support/browser.ts'
import { arrived } from '../support/clicks.ts'
import type { Client } from '../support/client.ts'
import { axeFindings, buildPages, LOOKS, type Looks, openBy, openDashboard, overflowOf } from '../support/dashboard.ts'
import { insertDeadLetters } from '../support/dead-letters.ts'
import { askToErase } from '../support/erase.ts'
import { eventually } from '../support/eventually.ts'
import { HOSTILE_NAMES } from '../support/hostile-names.ts'
import { profilesOf } from '../support/profiles.ts'
import { call, newLink, newOperator, sessionOf } from '../support/users.ts'
import { startWorld, type World } from '../support/world.ts'

// Every screen of the dashboard, as paths.ts names them: empty, filled and failing, in each look.

/** `npm run screens` looks at every screen in every look. `npm test` looks at each once filled, empty and failing, and the looks alternate. */
const IN_EVERY_LOOK = process.env.TIDINGS_SCREENS === 'all'

const chromium = chromiumOrLeftOut()
const OWNER = 'owner@screens.example'
const USERS = `users: [{ email: ${OWNER}, password: correct horse battery, role: owner }]`
const each = (line: (name: string, index: number) => string): string =>
  HOSTILE_NAMES.map((name, index) => `  - { ${line(JSON.stringify(name), index)} }`).join('\n')
const SEND = (name: string): string => `{ channel: email, template: ${name}, from: hello@filled.example }`
const STEPS = (name: string): string => {
  const branch = `rule: { field: firstName, op: eq, value: ${name} }, then: [{ send: ${SEND(name)} }], else: [{ wait: { minutes: 1440 } }]`
  return `{ wait: { minutes: 60 } }, { branch: { ${branch} } }`
}
const HOSTILE_LIST = JSON.stringify(HOSTILE_NAMES[0])
const ASKING = 'doubleOptIn: true, template: confirm, from: hello@filled.example'
const FILLED = `${USERS}
smsSenderIds: [{ id: Waits }, { id: Tea, status: approved }]
customFields:
${each((name) => `key: ${name}, label: ${name}, kind: select, options: [{ label: ${name}, value: ${name} }]`)}
connectors:
${each((name) => `name: ${name}, secret: secret-of-a-shop`)}
features: [embedded_forms]
formOrigins: ["https://shop.example"]
forms:
${each((name, index) => `id: ${name}, list: ${HOSTILE_LIST}, ${ASKING}, archived: ${index % 2 === 1}`)}
customEvents:
${each((name, index) => `name: ${name}, label: ${name}, properties: [${name}, sku], retired: ${index % 2 === 1}`)}
tags:
${each((name, index) => `name: ${JSON.stringify(JSON.parse(name).slice(0, 60).trim())}, color: ${TAG_COLORS[index % TAG_COLORS.length]}`)}
lists:
${each((name) => `name: ${name}, type: static`)}
  - { name: Hebrew speakers, type: dynamic, rule: { all: [{ field: locale, op: eq, value: he }] } }
  - { name: Tea, type: dynamic, rule: { field: ${JSON.stringify(`event.${HOSTILE_NAMES[0]}.count`)}, op: gte, value: 1 } }
templates:
  - { name: confirm, channel: email, subject: Confirm, html: "<a href='{{confirmUrl}}'>Yes</a>" }
${each((name) => `name: ${name}, channel: email, subject: ${name}, html: ${name}`)}
campaigns:
${each((name) => `name: ${name}, channel: email, status: draft, list: Hebrew speakers, template: ${name}, from: hello@filled.example`)}
flows:
  - { name: After tea, trigger: { type: custom_event, event: ${JSON.stringify(HOSTILE_NAMES[0])} }, steps: [{ wait: { minutes: 60 } }] }
${each((name) => `name: ${name}, trigger: { type: contact_created }, steps: [${STEPS(name)}]`)}`

/** A delivery of the webhook that was tried; nothing listens at its address. */
async function triedDelivery(world: World, client: Client, webhookId: string): Promise<string> {
  const token = await newLink(world.stores, client, OWNER)
  const owner = sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }))
  return eventually(
    async () => {
      const { body } = await owner.call(`GET /dashboard/webhooks/${webhookId}/deliveries`)
      return (body.data as Readonly<{ items: readonly Readonly<{ deliveryId: string }>[] }>).items[0]?.deliveryId ?? ''
    },
    (id) => id !== '',
  )
}

type Ids = Readonly<Record<string, readonly string[]>>

async function fill(world: World, client: Client): Promise<Ids> {
  const { lists, templates, campaigns, flows } = client.applied
  const [first = ''] = HOSTILE_NAMES
  const hook = { url: 'http://127.0.0.1:9/hook', events: ['contact.created'], label: first }
  const webhook = await client.request('POST', '/public/webhooks', hook)
  expect(webhook.status).toBe(201)
  const people = await Promise.all(
    HOSTILE_NAMES.map((name, index) =>
      profilesOf(client).create({ email: `person-${index}@screens.example`, firstName: name, lastName: name, notes: name }),
    ),
  )
  const message = await client.send('person-0@screens.example', { subject: first, html: first })
  await client.messageWith(message, 'sent')
  const reported = { event: `${first} seen`, contactId: people[0]?.id, properties: { sku: 'TEA-1' } }
  expect((await client.request('POST', '/events/ingest', reported)).status).toBe(200)
  await client.request('POST', `/public/lists/${lists[first]}/members`, { contactIds: people.map(({ id }) => id) })
  const { id: erased } = await profilesOf(client).create({ email: 'erased@screens.example' })
  await askToErase(world, client, erased)
  await insertDeadLetters(world, client.applied.workspace.id, first)
  const webhookId = (webhook.body.data as Readonly<{ id: string }>).id
  return {
    profile: [people[0]?.id ?? ''],
    message: [message],
    list: [lists[first] ?? ''],
    listRule: [lists['Hebrew speakers'] ?? ''],
    template: [templates[first] ?? ''],
    campaign: [campaigns[first] ?? ''],
    newCampaign: [campaigns[first] ?? ''],
    editCampaign: [campaigns[first] ?? ''],
    erasure: [erased],
    editFlow: [flows[first] ?? ''],
    form: [first],
    flow: [flows[first] ?? '', people[0]?.id ?? ''],
    webhook: [webhookId],
    webhookDelivery: [webhookId, await triedDelivery(world, client, webhookId)],
  }
}

const builders: Readonly<Record<string, (...parts: string[]) => string>> = paths
/** A path that names a thing is another without it. */
const namesThing = (name: string): boolean => {
  const [one, two] = ['one', 'two'].map((id) => builders[name]?.('w', id, id).split('?')[0])
  return one !== two
}
const addressOf = (name: string, slug: string, ids: readonly string[]): string =>
  builders[name]?.(...(name === 'login' ? [] : [slug]), ...(namesThing(name) ? ids : [])) ?? `${paths.overview(slug)}/${name}`

/** How the API fails: for what a screen itself asks, not for who is signed in. */
const refusal = (status: number) => async (route: Route) =>
  route.fulfill({
    status,
    headers: { 'x-request-id': '0192f000-0000-7000-8000-000000000001' },
    json: { success: false, message: 'It was refused by the test.', code: null },
  })
const FAILURES: Readonly<Record<string, (route: Route) => Promise<void>>> = {
  '500': refusal(500),
  '403': refusal(403),
  offline: (route) => route.abort('internetdisconnected'),
}

/** Screens that ask the API for nothing: what is refused while one is shown was asked by the one before it. */
const ASKS_NOTHING: ReadonlySet<string> = new Set(['login', 'link', 'verify', 'nothing-here'])

/** Screens of the installation, which an operator's session is shown. */
const OF_OPERATORS: ReadonlySet<string> = new Set(Object.keys(builders).filter((name) => /^system/.test(name)))

/**
 * Goes to a screen as a link of the dashboard does: loading each page anew takes most of the time of a walk. React Router numbers its entries of the history
 * by `idx`, and asks for the number where a form may stop a move.
 */
const moveTo = (page: Page, path: string): Promise<void> =>
  page.evaluate(
    `history.pushState({ idx: history.state.idx + 1 }, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )

/** Until the page has asked for nothing for half a second, and waits for no answer. */
function quietOf(page: Page): () => Promise<void> {
  const state = { open: 0, since: Date.now() }
  const note = (step: number) => () => {
    state.open += step
    state.since = Date.now()
  }
  page.on('request', note(1))
  page.on('requestfinished', note(-1))
  page.on('requestfailed', note(-1))
  return async () => {
    state.since = Date.now()
    await eventually(
      async () => state,
      ({ open, since }) => open <= 0 && Date.now() - since >= 500,
    )
  }
}

/** Ids that two elements have: a label or a title that names one of them may show the other. */
const doubleIds = async (page: Page): Promise<readonly string[]> => {
  const ids = await page.evaluate<string[]>('[...document.querySelectorAll("[id]")].map(({ id }) => id)')
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))].map((id) => `two elements have the id ${id}`)
}

describe.runIf(chromium !== null)('every screen', () => {
  let world: World
  let filled: Client
  let empty: Client
  let ids: Ids
  let browser: Browser
  beforeAll(async () => {
    await buildPages()
    world = await startWorld({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1' })
    filled = await world.workspace('filled', FILLED)
    empty = await world.workspace('empty', USERS)
    ids = await fill(world, filled)
    browser = await launch(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await world?.stop()
  })

  const names = [...Object.keys(builders).filter((name) => !OF_OPERATORS.has(name)), 'nothing-here']

  it('that shows one thing has one to show here', () => {
    expect(names.filter((name) => namesThing(name) && ids[name] === undefined)).toEqual([])
  })

  const lookAt = async (page: Page, { width, scheme }: Looks): Promise<readonly string[]> => {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme: scheme })
    const overflow = await overflowOf(page)
    return [...(await axeFindings(page)), ...(overflow > 0 ? [`${overflow} px wider than its window`] : [])].map(
      (found) => `${width} ${scheme}: ${found}`,
    )
  }

  /** A part that could not be had says so. */
  const saysWhatFailed = async (page: Page): Promise<readonly string[]> => {
    const isSaid = await page
      .getByRole('alert')
      .first()
      .waitFor()
      .then(
        () => true,
        () => false,
      )
    return isSaid ? [] : ['says nothing of what failed']
  }

  /** `share`: which of how many walks it is that share the screens, where none is looked at in every look. */
  type Walk = Readonly<{
    client: () => Client
    looks: readonly Looks[]
    share: readonly [which: number, of: number]
    failure?: string
    isOperator?: true
  }>

  /** The screens of a walk, each with its looks. */
  const stopsOf = ({ looks, share: [which, of], isOperator }: Walk): readonly (readonly [string, readonly Looks[]])[] => {
    const all = isOperator ? [...OF_OPERATORS] : names
    if (IN_EVERY_LOOK) return all.map((name) => [name, looks])
    return all.filter((_, index) => index % of === which).map((name, index) => [name, looks.filter((_, n) => n === index % looks.length)])
  }

  /** Opens its screens in one page; answers what is wrong with any. */
  const walk = async (test: string, each: Walk): Promise<readonly string[]> => {
    const { client: clientNow, failure, isOperator } = each
    const [first] = each.looks
    if (first === undefined) throw new Error('a walk has a look')
    const client = clientNow()
    const { page, problems, close } = await openDashboard(browser, test, first)
    // From the first load on: a screen has nothing to show that one before it was answered.
    if (failure !== undefined)
      await page.route(/\/api\/v1\/dashboard\/|\/dev\/outbox/, async (route) => {
        if (route.request().isNavigationRequest()) return route.continue()
        await FAILURES[failure]?.(route)
      })
    const token = isOperator ? (await newOperator(world.stores)).token : await newLink(world.stores, client, OWNER)
    await openBy(page, { world, token, path: isOperator ? paths.system() : paths.overview(client.slug) })
    const quiet = quietOf(page)
    const findings: string[] = []
    for (const [name, looks] of stopsOf(each)) {
      const made = client === filled ? ids[name] : undefined
      const path = addressOf(name, client.slug, made ?? [crypto.randomUUID(), crypto.randomUUID()])
      await moveTo(page, path)
      await quiet()
      await arrived(page)
      await page.locator('main [data-loading]').first().waitFor({ state: 'detached' })
      await page.locator('h1').first().waitFor()
      const found: string[] = []
      if (failure !== undefined && !ASKS_NOTHING.has(name)) found.push(...(await saysWhatFailed(page)))
      found.push(...(await doubleIds(page)))
      for (const one of looks) found.push(...(await lookAt(page, one)))
      const owned = await page.evaluate<boolean>('"owned" in globalThis')
      if (owned) found.push('a name ran as a script')
      if ((await page.getByText(/^(This page could not be shown\.|לא ניתן להציג את הדף\.)$/).count()) > 0) found.push('crashed')
      findings.push(...found.map((one) => `${name}: ${one}`))
    }
    // The browser itself says what was answered with 404, and what this test has refused.
    const said = problems.filter(
      (problem) => !problem.includes('status of 404') && !(failure !== undefined && /^Failed to load resource/.test(problem)),
    )
    await close()
    return [...findings, ...new Set(said)]
  }

  // A walk opens every screen there is.
  const timeoutMs = 900_000
  const [wide, narrow, wideHebrew, narrowHebrew] = LOOKS as readonly [Looks, Looks, Looks, Looks]
  const isFilled = (): Client => filled
  const isEmpty = (): Client => empty

  it.each<[string, Walk]>([
    ['filled, in English', { client: isFilled, looks: [wide, narrow], share: [0, 2] }],
    ['filled, in Hebrew', { client: isFilled, looks: [wideHebrew, narrowHebrew], share: [1, 2] }],
    ['empty, in English', { client: isEmpty, looks: [narrow], share: [1, 2] }],
    ['empty, in Hebrew', { client: isEmpty, looks: [wideHebrew], share: [0, 2] }],
    ['of an operator, in English', { client: isFilled, looks: [wide, narrow], share: [0, 1], isOperator: true }],
    ['of an operator, in Hebrew', { client: isFilled, looks: [narrowHebrew, wideHebrew], share: [0, 1], isOperator: true }],
  ])(
    'has nothing that axe finds, is no wider than its window, and shows hostile names as text: %s',
    async (test, each) => {
      expect(await walk(test, each)).toEqual([])
    },
    timeoutMs,
  )

  it.each<[string, Walk]>([
    ['answers 500', { client: isFilled, looks: [narrow], share: [0, 3], failure: '500' }],
    ['answers 403', { client: isFilled, looks: [wideHebrew], share: [1, 3], failure: '403' }],
    ['does not answer', { client: isFilled, looks: [narrowHebrew], share: [2, 3], failure: 'offline' }],
    ['answers an operator 500', { client: isFilled, looks: [narrow], share: [0, 1], failure: '500', isOperator: true }],
  ])(
    'says what failed where the API %s',
    async (test, each) => {
      expect(await walk(test, each)).toEqual([])
    },
    timeoutMs,
  )
})
