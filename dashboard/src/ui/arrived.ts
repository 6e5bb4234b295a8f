import type { WatchedWebhook } from '../api/calls.ts'
import type { Words } from '../words/en.ts'

/** How many of the tries of a period were taken. */
export function arrivedText({ delivered, retrying, dropped }: WatchedWebhook['lastHour'], { webhook }: Words): string {
  const all = delivered + retrying + dropped
  return all === 0 ? webhook.noTry : webhook.arrived(delivered, all)
}
