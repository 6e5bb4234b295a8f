import type { EditedTemplate } from '@tidings/contracts'
import type { Browser, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { dataOf } from '../support/answers.ts'
import { clicks } from '../support/clicks.ts'
import type { Client } from '../support/client.ts'
import { openAs, openDashboard } from '../support/dashboard.ts'
import { outboxOf } from '../support/outbox.ts'
import { call, newLink, type Session, sessionOf } from '../support/users.ts'
import type { World } from '../support/world.ts'

type WorkPlace = Readonly<{ world: World; client: Client; browser: Browser; member: string; slug: string }>

const WIDE = { width: 1280, scheme: 'light', language: 'en' } as const
const HOSTILE =
  '<p>Hello {{firstName|there}}</p></script><script>top.document.title="owned";fetch("https://evil.example/")</script><img src="https://evil.example/x">'

/** What a marketer does with templates, in a place that has a sender that is verified. */
export function templateTasks(place: () => WorkPlace): void {
  const session = async (): Promise<Session> => {
    const { world, client, member } = place()
    const token = await newLink(world.stores, client, member)
    return sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }), world.settle)
  }
  const made = async (name: string, texts: object = { channel: 'email', subject: 'Before', html: '<p>Hello</p>' }) =>
    dataOf<EditedTemplate>(await (await session()).call('POST /dashboard/templates', { body: { name, ...texts } }), 201)
  const stored = async (id: string) => dataOf<EditedTemplate>(await (await session()).call(`GET /dashboard/templates/${id}`), 200)
  const open = async (page: Page, path: string): Promise<void> => {
    const { world, client, member, slug } = place()
    await openAs(page, { world, client, email: member, path: `/dashboard/w/${slug}${path}` })
  }
  const subject = (page: Page) => page.getByRole('textbox', { name: 'Subject' })
  const html = (page: Page) => page.getByRole('textbox', { name: 'Content as HTML' })
  const frame = (page: Page) => page.frameLocator('iframe[title="As it looks"]').last()

  it.each(['mouse', 'keys'] as const)('changes a template and sends it to themselves in four presses: %s', async (means) => {
    const { world, browser, member } = place()
    const { id } = await made(`Welcome ${means}`)
    const { page, problems, close } = await openDashboard(browser, `template ${means}`, WIDE)
    await open(page, '')
    const { press, type, count } = await clicks(page, means)
    await press(page.getByRole('link', { name: 'Templates' }))
    await press(page.getByRole('link', { name: `Welcome ${means}` }))
    await type(subject(page), `After ${means}`)
    await press(page.getByRole('button', { name: 'Save' }))
    await page.getByText('Saved as version 2.').waitFor()
    await press(page.getByRole('button', { name: 'Send me a test' }))
    await page.getByRole('link', { name: 'See the message' }).waitFor()
    expect(await count()).toBe(4)
    await expect.poll(async () => (await outboxOf(world).list(`?to=${member}`)).map((mail) => mail.subject)).toContain(`After ${means}`)
    expect(await stored(id)).toMatchObject({ version: 2, changedBy: member })
    expect(problems).toEqual([])
    await close()
  })

  it('sees what a person would get while typing, and a hostile template runs nothing', async () => {
    const { browser } = place()
    const { id } = await made('Hostile')
    const { page, problems, close } = await openDashboard(browser, 'template preview', WIDE)
    const left: string[] = []
    await page.route(/evil\.example/, (route) => {
      left.push(route.request().url())
      return route.abort()
    })
    await open(page, `/templates/${id}`)
    await frame(page).getByText('Hello', { exact: true }).waitFor()
    const steps = await page.evaluate<number>('history.length')
    await html(page).fill(HOSTILE)
    await frame(page).getByText('Hello there').waitFor()
    await page.getByRole('button', { name: 'Width of a phone' }).click()
    await page.getByRole('button', { name: 'Dark' }).click()
    await html(page).fill('<p>{{firstName</p>')
    await page.getByText('html: "{{firstName</p>" is no merge tag').waitFor()
    await html(page).fill('<p>Again</p>')
    await frame(page).getByText('Again').waitFor()
    expect(left).toEqual([])
    expect(await page.title()).toBe('Hostile · Tidings')
    // Each post had a frame of its own: going back leaves the page.
    expect(await page.evaluate<number>('history.length')).toBe(steps)
    expect(problems).toEqual([])
    await close()
  })

  it('sees what another has saved meanwhile beside their own, and chooses', async () => {
    const { browser } = place()
    const { id } = await made('Two tabs')
    const other = await session()
    const { page, close } = await openDashboard(browser, 'template conflict', WIDE)
    await open(page, `/templates/${id}`)
    for (const [button, kept] of [
      ['Save mine over it', 'Mine'],
      ['Take theirs', 'Theirs'],
    ] as const) {
      await subject(page).fill('Mine')
      if ((await stored(id)).content.subject === 'Mine') await subject(page).fill('Mine again')
      const { etag } = await stored(id)
      const put = { body: { subject: 'Theirs', html: '<p>Hello</p>' }, headers: { 'If-Match': `"${etag}"` } }
      expect((await other.call(`PUT /dashboard/templates/${id}`, put)).status).toBe(200)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else has changed it meanwhile' })
      await conflict.getByText('marketer@').waitFor()
      await conflict.getByRole('textbox', { name: 'What yours has that theirs has not' }).getByText('Mine').waitFor()
      await conflict.getByRole('button', { name: button }).click()
      await conflict.waitFor({ state: 'detached' })
      await expect.poll(() => subject(page).inputValue()).toContain(kept)
      await expect.poll(async () => (await stored(id)).content.subject).toContain(kept)
    }
    await close()
  })

  it('keeps what they type while a save is on its way', async () => {
    const { browser } = place()
    const { id } = await made('Typed on')
    const { page, close } = await openDashboard(browser, 'template typed on', WIDE)
    const [sent, mayGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(`**/dashboard/templates/${id}`, async (route) => {
      if (route.request().method() === 'PUT') {
        sent.resolve()
        await mayGo.promise
      }
      await route.continue()
    })
    await open(page, `/templates/${id}`)
    await subject(page).fill('Begun')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await sent.promise
    await subject(page).fill('Begun, and typed on')
    mayGo.resolve()
    await page.getByText('Version 2').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved as version 3.').waitFor()
    expect((await stored(id)).content.subject).toBe('Begun, and typed on')
    await close()
  })

  it('keeps what they typed when their session ends, and when it becomes one of another workspace', async () => {
    const { world, browser, member, slug } = place()
    const { id } = await made('Kept')
    const other = await world.workspace(`${slug}-kept`, `users: [{ email: ${member}, password: correct horse battery, role: member }]`)
    const { page, close } = await openDashboard(browser, 'template kept', WIDE)
    const asked: string[] = []
    page.on('dialog', (question) => {
      asked.push(question.type())
      void question.dismiss()
    })
    await open(page, `/templates/${id}`)
    await subject(page).fill('Typed')
    await page.context().clearCookies()
    // It is checked as it is typed.
    await subject(page).fill('Typed on')
    await page.getByText('Authentication required').first().waitFor()
    const tab = await page.context().newPage()
    await openAs(tab, { world, client: other, email: member, path: `/dashboard/w/${slug}-kept/templates` })
    const session = page.waitForResponse((answer) => answer.url().endsWith('/auth/session'))
    await subject(page).fill('Typed on and on')
    await session
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The page shows another workspace').first().waitFor()
    expect([await subject(page).inputValue(), asked]).toEqual(['Typed on and on', []])
    await close()
  })

  it('adds one, duplicates it, archives it, and restores a version', async () => {
    const { browser } = place()
    const { page, problems, close } = await openDashboard(browser, 'template life', WIDE)
    await open(page, '/templates')
    await page.getByRole('button', { name: 'New template' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Reminder')
    await page.getByRole('dialog').getByRole('combobox', { name: 'Channel' }).selectOption('sms')
    await page.getByRole('button', { name: 'Create template' }).click()
    const body = page.getByRole('textbox', { name: 'Text message' })
    await body.fill(`שלום {{firstName|you}} ${'x'.repeat(70)}`)
    await page.getByText('Parts', { exact: true }).locator('..').getByText('2', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved as version 2.').waitFor()
    await page.getByRole('button', { name: 'Archive' }).click()
    await page.getByRole('button', { name: 'Use again' }).click()
    await page.getByRole('button', { name: 'Archive' }).waitFor()
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('button', { name: 'Compare: 1' }).click()
    await page.getByRole('button', { name: 'Restore version 1' }).click()
    await page.getByRole('cell', { name: 'version 1 again' }).waitFor()
    await page.getByRole('tab', { name: 'Texts' }).click()
    expect(await body.inputValue()).toBe('Hello {{firstName|there}}')
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Reminder 2')
    await page.getByRole('dialog').getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { level: 1, name: 'Reminder 2' }).waitFor()
    expect(problems).toEqual([])
    await close()
  })
}
