import { Refused } from '@tidings/domain'
import { Blocked, type Guard } from '@tidings/outbound-http'

/**
 * The URL rules of webhooks hold for push endpoints: they are a stranger's text that this service calls. Only what the text says is judged here:
 * an answer, or its time, that depended on a look-up would tell which names the network inside has. Every push looks the name up.
 */
export function assertMayBeCalled(guard: Pick<Guard, 'checkText'>, endpoint: string): void {
  try {
    guard.checkText(endpoint)
  } catch (error) {
    throw error instanceof Blocked ? new Refused('push_endpoint_blocked') : error
  }
}
