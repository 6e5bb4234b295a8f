import type { UnsubscribeSource } from '@tidings/receipts'

const MULTIPART_ONE_CLICK = /name="?List-Unsubscribe"?[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\nOne-Click\s/i

/** RFC 8058 §3.1: the pair `List-Unsubscribe=One-Click`, in either form; the page says `confirm=yes`. */
export function parseUnsubscribeSource(body: unknown): UnsubscribeSource | null {
  if (typeof body !== 'string') return null
  if (body.startsWith('--')) return MULTIPART_ONE_CLICK.test(body) ? 'one_click' : null
  const form = new URLSearchParams(body.trim())
  if (form.get('List-Unsubscribe') === 'One-Click') return 'one_click'
  return form.get('confirm') === 'yes' ? 'unsubscribe_link' : null
}
