import { PushSubscription, RegisterPushBody } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { appendContext } from '../append-context.ts'
import type { Dependencies } from '../dependencies.ts'
import { asProfileNotFound } from '../profiles/profile-not-found.ts'
import { waitForAll } from '../wait-for-all.ts'
import { assertMayBeCalled } from './endpoint-rules.ts'
import { registerBrowser } from './register-browser.ts'

const schema = {
  operationId: 'push.register',
  summary: 'Register a browser for web push, which is consent to it',
  tags: ['push'],
  body: RegisterPushBody,
  response: { 200: PushSubscription },
}

const config = { publishable: true, refusals: ['profile_not_found', 'push_endpoint_blocked'] } as const

/** `POST /push/subscriptions` (N436). */
export function registerPush(app: App, deps: Dependencies): void {
  app.post('/push/subscriptions', { schema, config }, async (request, reply) => {
    const { profileId, endpoint, keys, userAgent = null, browser = null, platform = null } = request.body
    const at = deps.now()
    assertMayBeCalled(deps.webhooks.guard, endpoint)
    const { subscription, positions } = await asProfileNotFound(
      registerBrowser(deps, {
        context: appendContext(request, at),
        contactId: profileId,
        browser: { endpoint, p256dh: keys.p256dh, auth: keys.auth, userAgent, browser, platform },
        evidence: { ip: request.clientAddress, userAgent: request.headers['user-agent'] ?? null },
      }),
    )
    await waitForAll(deps, reply, { positions, projections: ['profiles', 'consent_history', 'push_subscriptions'] })
    const { subscriptionId, endpointHash, createdAt } = subscription
    return {
      id: subscriptionId,
      profileId,
      endpointHash,
      browser,
      platform,
      createdAt,
      lastSeenAt: at,
      revokedAt: null,
      revokeReason: null,
    }
  })
}
