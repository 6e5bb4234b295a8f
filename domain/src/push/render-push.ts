import { Refused } from '../kernel.ts'
import type { MergeValues } from '../merge/merge-values.ts'
import { renderAddress, renderLine, renderText } from '../merge/render.ts'
import type { TemplateContent } from '../template/template.ts'

/** The content of a notification and the address that it leads to, complete. */
export type PushContent = NonNullable<TemplateContent['push']>

/** The longest texts of a rendered notification, in UTF-16 code units. `MAX_PUSH_BYTES` bounds its encrypted bytes. */
export const MAX_PUSH_LENGTHS = { title: 255, body: 1_000, url: 2_048, icon: 2_048 } as const

/** The largest payload of a push before it is encrypted: push services take 4 096 bytes (RFC 8030 §7.2), less 103 of its encryption (RFC 8291 §4). */
export const MAX_PUSH_BYTES = 3_993

const WEB_ADDRESS = /^https?:\/\/[^\s/?#]/i

/**
 * Renders a push template (M21); values are not escaped, since a notification is plain text. Refuses `content_empty` when title or body is blank,
 * `template_render_failed` when one of the four grows too long, or an address is none.
 */
export function renderPush({ title, body, url, icon }: PushContent, values: MergeValues): PushContent {
  const rendered = {
    title: renderLine(title, values, { maxLength: MAX_PUSH_LENGTHS.title }),
    body: renderText(body, values, { maxLength: MAX_PUSH_LENGTHS.body }),
    url: addressOf('url', url, values),
    icon: addressOf('icon', icon, values),
  }
  if (rendered.title === '' || rendered.body.trim() === '') throw new Refused('content_empty')
  return rendered
}

/** Null where the template has none, or nothing is left of it. */
const addressOf = (field: 'url' | 'icon', template: string | null, values: MergeValues): string | null => {
  const address = template === null ? '' : renderAddress(template, values, { maxLength: MAX_PUSH_LENGTHS[field] })
  if (address === '') return null
  if (!WEB_ADDRESS.test(address)) throw new Refused('template_render_failed', { field: `push.${field}` })
  return address
}
