import type { Locator, Page } from 'playwright-core'

/** By `keys` there is no mouse: a press of it fails the count. */
export type Means = 'mouse' | 'keys'

export type Clicks = Readonly<{
  /** Presses a link, button, tab or menu entry, and waits for the screen that it leads to. */
  press: (target: Locator) => Promise<void>
  /** Typing is no press, and neither is choosing in a field. */
  type: (target: Locator, text: string) => Promise<void>
  choose: (field: Locator, option: string) => Promise<void>
  /** The presses so far, by whatever way they were done. */
  count: () => Promise<number>
}>

/** More steps than a page has places to stop at. */
const STEPS = 200

/** Reports each press on what acts. Days of a calendar and options of a list are chosen in a field; those of Ctrl K lead somewhere. */
const COUNTING = `(() => {
  if (globalThis.isCounting) return
  globalThis.isCounting = true
  const acting = 'a[href], button, summary, [role=button], [role=link], [role=tab], [role^=menuitem], #found [role=option]'
  const inField = '[data-dates-dropdown], [role=listbox]:not(#found)'
  const note = (kind) => globalThis.notePress(kind)
  addEventListener('click', ({ isTrusted, target }) => {
    const pressed = isTrusted && target instanceof Element ? target.closest(acting) : null
    if (pressed !== null && pressed.closest(inField) === null) note('press')
  }, true)
  addEventListener('keydown', ({ key, target }) => {
    if (key === 'Enter' && target instanceof Element && target.matches('[aria-controls=found]')) note('press')
  }, true)
  for (const kind of ['mousedown', 'touchstart']) addEventListener(kind, ({ isTrusted }) => isTrusted && note('mouse'), true)
})()`

const isFocused = (target: Locator): Promise<boolean> => target.evaluate((element) => element === element.ownerDocument.activeElement)

/** The key that goes on from what has the focus: entries of a menu and tabs are one stop, and arrows go along them. */
const NEXT = `(() => {
  const role = document.activeElement?.getAttribute('role') ?? ''
  if (role.startsWith('menu')) return 'ArrowDown'
  return role === 'tab' ? (document.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight') : 'Tab'
})()`

/** Goes on by keys until the target has the focus; of tabs the last one leads on by Tab. */
async function reach(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const isInRow = await target.evaluate((element) => /^(tab|menuitem.*)$/.test(element.getAttribute('role') ?? ''))
  for (let step = 0; step < STEPS; step++) {
    if (await isFocused(target)) return
    const next = await page.evaluate<string>(NEXT)
    await page.keyboard.press(isInRow ? next : 'Tab')
  }
  throw new Error(`the keyboard does not reach ${target}`)
}

/** Waits until the screen that was asked for is there: what is pressed before that is of the one that is left. */
export function arrived(page: Page): Promise<void> {
  return page.locator('main[aria-busy=true]').waitFor({ state: 'detached' })
}

/** Counts the presses of a task from now on, and does them by the mouse or by the keyboard alone. One for each page. */
export async function clicks(page: Page, means: Means = 'mouse'): Promise<Clicks> {
  const noted: string[] = []
  await page.exposeFunction('notePress', (kind: string) => {
    noted.push(kind)
  })
  await page.addInitScript(COUNTING)
  await page.evaluate(COUNTING)
  const byKeys = means === 'keys'
  return {
    press: async (target) => {
      if (byKeys) {
        await reach(page, target)
        await target.press('Enter')
      } else await target.click()
      await arrived(page)
    },
    type: async (target, text) => {
      if (!byKeys) return target.fill(text)
      await reach(page, target)
      await target.press('Control+a')
      await target.pressSequentially(text)
    },
    choose: async (field, option) => {
      if (byKeys) await reach(page, field)
      await field.selectOption(option)
    },
    count: async () => {
      // What the page has reported before this answer is noted.
      await page.evaluate('0')
      if (byKeys && noted.includes('mouse')) throw new Error('the mouse was used in a task by the keyboard alone')
      return noted.filter((kind) => kind === 'press').length
    },
  }
}
