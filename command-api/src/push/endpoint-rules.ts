import { refusal } from '@tidings/http'
import { Blocked, type Guard, NoAddress, Unresolved } from '@tidings/outbound-http'

/**
 * The URL rules of webhooks hold for push endpoints: they are a stranger's text that this service calls. A name that leads nowhere just now is
 * taken all the same, because every push looks it up again. One answer for every reason, so that callers cannot probe the internal network.
 */
export async function assertMayBeCalled(guard: Guard, endpoint: string, workspaceId: string): Promise<void> {
  try {
    await guard.check(endpoint, workspaceId)
  } catch (error) {
    if (error instanceof Unresolved || error instanceof NoAddress) return
    throw error instanceof Blocked ? refusal('push_endpoint_blocked') : error
  }
}
