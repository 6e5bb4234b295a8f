import type { Locator } from 'playwright-core'

/** What somebody reads there, one text a line. */
export async function textOf(shown: Locator): Promise<string> {
  return (await shown.allInnerTexts()).join('\n')
}
