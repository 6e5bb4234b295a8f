import { createCaller, createGuard } from '@tidings/outbound-http'
import { type PushRule, startPushService } from '@tidings/testing/push-service'
import { webPush } from '../../src/web-push/web-push.ts'
import { createWebPushProvider } from '../../src/web-push/web-push-provider.ts'
import { type PushHarness, pushProviderContract } from '../contract/index.ts'
import { RFC_8291_SENDER } from './vapid.fixture.ts'

async function opened(callMs: number): Promise<PushHarness> {
  const service = await startPushService()
  const caller = createCaller({ guard: createGuard({ resolve: async () => [], allowLocal: true }), timeoutMs: callMs, connections: 8 })
  const only = (endpoint: string, rule: PushRule) => {
    service.control.rule = (asked) => (asked === endpoint ? rule : undefined)
  }
  return {
    provider: createWebPushProvider({ ...webPush.limits, vapid: RFC_8291_SENDER, caller, callMs }),
    subscribe: service.subscribe,
    taken: async () => service.taken,
    secrets: [RFC_8291_SENDER.privateKey],
    otherSide: {
      behave: () => {
        service.control.rule = undefined
      },
      answer: (endpoint, status, body) => only(endpoint, { status, body }),
      cutAfterTaking: (endpoint) => only(endpoint, 'cut after'),
      stall: (endpoint) => only(endpoint, 'stall'),
    },
    close: async () => {
      await caller.close()
      await service.stop()
    },
  }
}

pushProviderContract('Web push', { hasOtherSide: true, open: opened })
