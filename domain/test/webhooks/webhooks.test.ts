import { specFor } from '@tidings/testing/decider-spec'
import { describe, it } from 'vitest'
import { asEndpointId, type EndpointId } from '../../src/index.ts'
import type { WebhooksEvent } from '../../src/webhooks/webhooks.ts'
import { webhooks } from '../../src/webhooks/webhooks.ts'

const { given } = specFor(webhooks)

const [first, second, third] = [asEndpointId('1'), asEndpointId('2'), asEndpointId('3')]

const data = (endpointId: EndpointId) => ({
  endpointId,
  url: 'https://shop.example/hook',
  label: null,
  events: ['contact.created'],
  signingSecret: 'ab'.repeat(32),
})
const created = (endpointId: EndpointId): WebhooksEvent => ({ type: 'WebhookEndpointCreated', data: data(endpointId) })
const create = (endpointId: EndpointId, limit = 50) => ({ type: 'CreateWebhook', data: { ...data(endpointId), limit } }) as const
const paused: WebhooksEvent = { type: 'WebhookEndpointPaused', data: { endpointId: first } }
const resumed: WebhooksEvent = { type: 'WebhookEndpointResumed', data: { endpointId: first } }
const deleted: WebhooksEvent = { type: 'WebhookEndpointDeleted', data: { endpointId: first } }
const pause = { type: 'PauseWebhook', data: { endpointId: first } } as const
const resume = { type: 'ResumeWebhook', data: { endpointId: first } } as const
const remove = { type: 'DeleteWebhook', data: { endpointId: first } } as const

describe('the webhook endpoints of a workspace', () => {
  it('are created, as many as the limit says', () => {
    given().when(create(first)).thenEvents(created(first))
    given(created(first)).when(create(second, 2)).thenEvents(created(second))
    given(created(first), created(second)).when(create(third, 2)).thenRefused('webhook_limit_reached')
  })

  it('leave room when they are deleted', () => {
    given(created(first), deleted).when(create(second, 1)).thenEvents(created(second))
  })

  it('are paused and resumed', () => {
    given(created(first)).when(pause).thenEvents(paused)
    given(created(first), paused).when(resume).thenEvents(resumed)
    given(created(first)).when(resume).thenNothing()
    given(created(first), paused).when(pause).thenNothing()
  })

  it('cannot be paused or resumed when they are not there', () => {
    given().when(pause).thenRefused('webhook_not_found')
    given(created(first), deleted).when(resume).thenRefused('webhook_not_found')
  })

  it('are deleted once, paused or not', () => {
    given(created(first)).when(remove).thenEvents(deleted)
    given(created(first), paused).when(remove).thenEvents(deleted)
    given(created(second)).when(remove).thenNothing()
  })
})
