import { appendContext } from '@tidings/administration'
import { PushSubscription, RegisterPushBody } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import { type App, presentsPublishableKey } from '@tidings/http'
import { Blocked } from '@tidings/outbound-http'
import type { FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { allowOrigin } from '../forms/allow-origin.ts'
import { asProfileNotFound } from '../profiles/profile-not-found.ts'
import { waitForAll } from '../wait-for-all.ts'
import { registerBrowser } from './register-browser.ts'

const schema = {
  operationId: 'push.register',
  summary: 'Register a browser for web push, which is consent to it',
  tags: ['push'],
  body: RegisterPushBody,
  response: { 200: PushSubscription },
}

const config = { publishable: true, refusals: ['profile_not_found', 'push_endpoint_blocked', 'origin_not_allowed'] } as const

/**
 * A page with a publishable key reads the answer where its origin is allowed; with a secret key none does (M63). A page may name the contact that
 * the shop's server named to it: an id is no guess, and a sign-up with such a key tells none (ADR 24).
 */
const onlyPages = (deps: Dependencies) => {
  const allow = allowOrigin(deps)
  return async (...[request, reply]: Parameters<typeof allow>): Promise<void> => {
    if (presentsPublishableKey(request)) await allow(request, reply)
  }
}

/** Throws 403 for a page of another origin; what is no browser sends none. */
const refuseOtherOrigins = async ({ directory }: Dependencies, { tenant, headers }: FastifyRequest): Promise<void> => {
  if (!tenant.isPublishable || headers.origin === undefined) return
  const forms = await directory.forms(tenant.workspaceId)
  if (!forms?.origins.includes(headers.origin)) throw new Refused('origin_not_allowed')
}

/** `POST /push/subscriptions` (N436). */
export function registerPush(app: App, deps: Dependencies): void {
  app.post('/push/subscriptions', { schema, config, onRequest: onlyPages(deps) }, async (request, reply) => {
    await refuseOtherOrigins(deps, request)
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

/**
 * The URL rules of webhooks hold for push endpoints: they are a stranger's text that this service calls. Only what the text says is judged here:
 * an answer, or its time, that depended on a look-up would tell which names the network inside has. Every push looks the name up.
 */
function assertMayBeCalled(guard: Readonly<{ checkText: (url: string) => void }>, endpoint: string): void {
  try {
    guard.checkText(endpoint)
  } catch (error) {
    throw error instanceof Blocked ? new Refused('push_endpoint_blocked') : error
  }
}
