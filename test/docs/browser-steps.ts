import type { Locator, Page } from 'playwright-core'
import { arrived } from '../e2e/support/clicks.ts'
import { readPage } from './markdown.ts'

/** What a numbered line of a tutorial asks its reader to do in the browser. */
export type BrowserStep = Readonly<{ line: number; act: (page: Page) => Promise<void> }>

const FORMS: readonly (readonly [RegExp, (...parts: string[]) => BrowserStep['act']])[] = [
  [
    /^Press `(.+)`\.$/,
    (key = '') =>
      (page) =>
        page.keyboard.press(key),
  ],
  [
    /^Press \*\*(.+)\*\*\.$/,
    (name = '') =>
      async (page) => {
        await acting(page.getByRole('main').or(page.getByRole('banner')).or(page.getByRole('navigation')), name).click()
        await arrived(page)
      },
  ],
  [/^Press \*\*(.+)\*\* in the dialog\.$/, (name = '') => pressInDialog(name)],
  [
    /^Type `(.+)` into \*\*(.+)\*\*\.$/,
    (text = '', label = '') =>
      (page) =>
        page.getByLabel(label, { exact: true }).first().fill(text),
  ],
  [
    /^See the title "(.+)"\.$/,
    (name = '') =>
      (page) =>
        page.getByRole('heading', { level: 1, name, exact: true }).waitFor(),
  ],
  [
    /^See "(.+)" in the mail\.$/,
    (text = '') =>
      (page) =>
        page.frameLocator('iframe').getByText(text).first().waitFor(),
  ],
  [
    /^See "(.+)"\.$/,
    (text = '') =>
      (page) =>
        page.getByText(text).filter({ visible: true }).first().waitFor(),
  ],
]

const acting = (place: Locator, name: string): Locator =>
  place
    .getByRole('button', { name, exact: true })
    .or(place.getByRole('link', { name, exact: true }))
    .or(place.getByRole('tab', { name, exact: true }))
    .first()

/** The dialog is gone before the next step. */
const pressInDialog =
  (name: string) =>
  async (page: Page): Promise<void> => {
    await acting(page.getByRole('dialog'), name).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

const actOf = (text: string, line: number): BrowserStep['act'] => {
  for (const [form, act] of FORMS) {
    const found = form.exec(text)
    if (found !== null) return act(...found.slice(1))
  }
  throw new Error(`line ${line} is no step that a test can do: ${text}`)
}

/** The numbered lines of a page, in order; each is one of the forms above. */
export function browserStepsOf(page: string): readonly BrowserStep[] {
  return readPage(page)
    .split('\n')
    .flatMap((text, index) => {
      const [, step] = /^\d+\. (.+)$/.exec(text) ?? []
      return step === undefined ? [] : [{ line: index + 1, act: actOf(step, index + 1) }]
    })
}
