import { Refused } from '../kernel.ts'
import type { MergeValues } from '../merge/merge-values.ts'
import { renderText } from '../merge/render.ts'

/** The longest rendered body, in UTF-16 code units. */
const MAX_SMS_LENGTH = 1_600

/** Far more than a body may have: rendering stops at this length. */
const RENDER_BOUND = 100_000

/** Renders a text message's template; values are not escaped (M3). Refuses as `checkedSmsBody` does. */
export function renderSms(template: string, values: MergeValues): string {
  try {
    return checkedSmsBody(renderText(template, values, { maxLength: RENDER_BOUND }))
  } catch (error) {
    if (error instanceof Refused && error.code === 'template_render_failed') throw tooLong()
    throw error
  }
}

/** A body as it is sent. Refuses `content_empty` when it is blank, `content_too_long` beyond 1 600 code units. */
export function checkedSmsBody(body: string): string {
  if (body.trim() === '') throw new Refused('content_empty')
  if (body.length > MAX_SMS_LENGTH) throw tooLong()
  return body
}

const tooLong = (): Refused => new Refused('content_too_long', { maxLength: MAX_SMS_LENGTH })
